import { expect, it } from "vitest";
import { StoreError } from "../../src/errors.ts";
import { openPatiently } from "../../src/engine/open-backend.ts";
import { openEngine } from "../../src/index.ts";
import { evalcubeStorage } from "../../src/runners/evalite.ts";
import { keptName } from "../../src/runners/kept-runs.ts";
import { openSink } from "../../src/runners/sink.ts";
import { scratchPath } from "../support/scratch.ts";

/** A runner that waits for nothing. */
const none = {
  within: () => Promise.reject(new StoreError("unusable_database", "too slow")),
  hurry: () => () => undefined,
};

it("a database that is still being opened when a runner gives up is free once the runner has ended", async () => {
  const db = scratchPath();
  const told: string[] = [];
  const sink = await openSink(db, keptName(db, "r1"), none, (reason) => void told.push(reason));
  await expect(openEngine({ path: db })).rejects.toMatchObject({ code: "locked_database" });
  expect(await sink.close()).toBeNull();
  const engine = await openEngine({ path: db });
  await engine.close();
  expect(told).toEqual(["too slow"]);
});

it("a busy database is not opened any more once a runner has given up", async () => {
  const stop = new AbortController();
  let tries = 0;
  const opening = openPatiently(
    () => {
      if (++tries === 2) stop.abort(new Error("given up"));
      return Promise.reject(new StoreError("locked_database", "busy"));
    },
    1_000_000,
    stop.signal,
  );
  await expect(opening).rejects.toMatchObject({ name: "AbortError" });
  expect(tries).toBe(2);
});

it("files beside databases, and storages, have one listener for the end of the process together", async () => {
  await evalcubeStorage({ project: "acme/qa" }, {});
  const listeners = process.listenerCount("exit");
  await Promise.all(Array.from({ length: 12 }, () => evalcubeStorage({ project: "acme/qa" }, {})));
  const record = { id: "a", project_id: "acme/qa", op_name: "step", started_at: "2026-01-01T00:00:00Z" };
  const sinks = Array.from({ length: 3 }, async () => {
    const db = scratchPath();
    const sink = await openSink(db, keptName(db, "r1"), none, () => undefined);
    await sink.store.write([record]);
    expect(process.listenerCount("exit")).toBe(listeners);
    expect(await sink.close()).toBe(keptName(db, "r1"));
  });
  await Promise.all(sinks);
});
