import { expect, it, onTestFinished } from "vitest";
import { DEFAULT_CONVENTIONS } from "../../src/model/conventions.ts";
import { openStore } from "../../src/duckdb/store.ts";
import { objectSource } from "../../src/ingest/formats/record-source.ts";
import { noCounts } from "../../src/ingest/counts.ts";
import { createLoader } from "../../src/ingest/loader.ts";
import { createSessionWriters } from "../../src/duckdb/load/session-writer.ts";
import type { Session, FileStore } from "../../src/store/session.ts";
import { sql } from "../../src/store/sql.ts";
import { call } from "../support/records.ts";

async function openWith(given: number): Promise<FileStore> {
  const store = await openStore({ path: ":memory:", readOnly: false, threads: given, memoryLimit: null });
  onTestFinished(() => store.close());
  return store;
}

async function threads(session: Session): Promise<number> {
  const [row] = await session.rows(sql`SELECT current_setting('threads')`);
  return Number(row?.[0]);
}

it.each([
  [1, 1],
  [2, 1],
  [3, 3],
])("a DuckDB of %d threads is limited to %d, until that ends", async (given, kept) => {
  const store = await openWith(given);
  const end = await store.limitToOneThread();
  expect(await store.read(threads)).toBe(kept);
  await end();
  expect(await store.read(threads)).toBe(given);
});

it("a limit stands until the last who needs it ends, also in transactions", async () => {
  const store = await openWith(2);
  const first = await store.limitToOneThread();
  await store.read(async (session) => {
    const second = await session.limitToOneThread?.();
    await first();
    expect(await threads(session)).toBe(1);
    await second?.();
    expect(await threads(session)).toBe(2);
  });
});

it.each([
  ["one batch", 10, ["fulfilled"]],
  ["several batches", 9000, ["fulfilled", 1, 2]],
  ["several batches that is refused", 9001, ["rejected", 1, 2]],
])("a load of %s leaves DuckDB the threads that it had", async (_load, count, expected) => {
  const store = await openWith(2);
  const seen: number[] = [];
  const limitToOneThread = async () => {
    const end = await store.limitToOneThread();
    seen.push(await store.read(threads));
    return async () => {
      await end();
      seen.push(await store.read(threads));
    };
  };
  const records = Array.from({ length: count }, (_, i) => (i === 9000 ? {} : call(`c${i}`)));
  const load = createLoader(
    createSessionWriters({ ...store, limitToOneThread }, DEFAULT_CONVENTIONS),
    DEFAULT_CONVENTIONS,
  );
  const loading = load("calls", {
    source: objectSource(records, "calls"),
    options: {},
    alone: false,
    counts: noCounts(),
  });
  const [outcome] = await Promise.allSettled([loading]);
  expect([outcome.status, ...seen]).toEqual(expected);
});
