import { EventEmitter, once } from "node:events";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it, onTestFinished, vi } from "vitest";
import { openThreadUse } from "../../src/engine/duckdb/tuning/threads.ts";
import { openStore } from "../../src/engine/duckdb/store.ts";
import type { Session, Store } from "../../src/store/session.ts";
import { sql } from "../../src/store/sql.ts";

async function threads(session: Session): Promise<number> {
  const [row] = await session.rows(sql`SELECT current_setting('threads')`);
  return Number(row?.[0]);
}

async function openWith(given: number): Promise<Store> {
  const store = await openStore({ path: ":memory:", readOnly: false, threads: given, memoryLimit: null });
  onTestFinished(() => store.close());
  return store;
}

/** Reads until DuckDB has so many threads. */
async function untilThreads(store: Store, expected: number): Promise<void> {
  while ((await store.read(threads)) !== expected) {
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
}

it.each([
  [1, 1],
  [2, 1],
  [3, 3],
])("a long write keeps a DuckDB of %d threads to %d, until it ends or fails", async (given, kept) => {
  const store = await openWith(given);
  const during = await store.write(async (session) => {
    await session.leaveCore();
    await session.leaveCore();
    return threads(session);
  });
  expect(during).toBe(kept);
  expect(await store.read(threads)).toBe(given);
  const failing = store.write(async (session) => {
    await session.leaveCore();
    throw new Error("planned");
  });
  await expect(failing).rejects.toThrow("planned");
  expect(await store.read(threads)).toBe(given);
});

it.each([
  [1, 1],
  [2, 1],
  [3, 3],
])(
  "several transactions keep a DuckDB of %d threads to %d, until one is alone again",
  async (given, kept) => {
    const store = await openWith(given);
    await store.read((session) => store.read(() => untilThreads(store, kept).then(() => threads(session))));
    await untilThreads(store, given);
    const failing = store.read(() => store.read(() => Promise.reject(new Error("planned"))));
    await expect(failing).rejects.toThrow("planned");
    await untilThreads(store, given);
  },
);

it("what one transaction reads beside itself is no other", async () => {
  const store = await openWith(2);
  expect(await store.read((session) => session.beside(threads))).toBe(2);
});

it("transactions that end while DuckDB changes its threads leave it with two", async () => {
  const instance = await DuckDBInstance.create(":memory:", { threads: "2" });
  onTestFinished(() => instance.closeSync());
  const connection = await instance.connect();
  const use = await openThreadUse(connection);
  const run = connection.run.bind(connection);
  const changed: string[] = [];
  const events = new EventEmitter();
  const changing = once(events, "changing");
  const held = once(events, "go");
  vi.spyOn(connection, "run").mockImplementation(async (text) => {
    events.emit("changing");
    await held;
    changed.push(text);
    return run(text);
  });
  const leave = [use.enter(), use.enter()];
  await changing;
  for (const each of leave) each();
  events.emit("go");
  await vi.waitFor(() => expect(changed).toEqual(["SET GLOBAL threads = 1", "SET GLOBAL threads = 2"]));
  await use.close();
});
