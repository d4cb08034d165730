import { expect, it } from "vitest";
import { openStore } from "../../src/duckdb/store.ts";
import { noCounts } from "../../src/ingest/counts.ts";
import { objectSource } from "../../src/ingest/formats/record-source.ts";
import { createLoader } from "../../src/ingest/loader.ts";
import { createSessionWriters } from "../../src/duckdb/load/session-writer.ts";
import { DEFAULT_CONVENTIONS } from "../../src/model/conventions.ts";
import type { FileSession, FileStore } from "../../src/store/session.ts";
import { EVALUATION, root, trial } from "../support/records.ts";

/** A store whose transactions tell the statements that read. */
function toldBy(store: FileStore, tell: (statement: string) => void): FileStore {
  const telling = (session: FileSession): FileSession => ({
    ...session,
    rows: (query) => {
      tell(query.parts.join("?"));
      return session.rows(query);
    },
  });
  return {
    ...store,
    inTurn: (turn) =>
      store.inTurn((write) => turn((work, signal) => write((session) => work(telling(session)), signal))),
  };
}

it("the root of an evaluation is not looked up for the trials of later loads, also where it was sent again", async () => {
  const store = await openStore({ path: ":memory:", readOnly: false, threads: 1, memoryLimit: null });
  const read: string[] = [];
  const writers = createSessionWriters(
    toldBy(store, (statement) => read.push(statement)),
    DEFAULT_CONVENTIONS,
  );
  const load = createLoader(writers, DEFAULT_CONVENTIONS);
  const storeAll = (...records: object[]) =>
    load("calls", {
      source: objectSource(records, "records"),
      options: {},
      alone: false,
      counts: noCounts(),
    });
  await storeAll(root());
  await storeAll(trial("first", { q: 1 }));
  await storeAll(root(EVALUATION, { display_name: "again" }));
  read.length = 0;
  const { result } = await storeAll(trial("second", { q: 2 }));
  expect(result).toMatchObject({ stored: 1, evaluations: 1, unattached: 0 });
  expect(read.filter((statement) => statement.includes("FROM calls"))).toEqual([]);
  await store.close();
});
