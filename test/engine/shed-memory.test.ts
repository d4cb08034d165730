import { expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/duckdb/store.ts";
import { shedding } from "../../src/duckdb/store.ts";
import { writeBehind } from "../../src/duckdb/load/write-behind.ts";
import type { FileStore, Session } from "../../src/store/session.ts";
import { sql } from "../../src/store/sql.ts";
import { scratchPath } from "../support/scratch.ts";

/** The statements that shedding runs, where DuckDB refuses those that match. */
async function statementsOf(memoryLimit: string | null, { isBusy = false, refused = /^$/ } = {}) {
  const seen: string[] = [];
  const run = (statement: string) => {
    seen.push(statement);
    return refused.test(statement) ? Promise.reject(new Error("out of memory")) : Promise.resolve();
  };
  await shedding({ run }, { memoryLimit }, { count: () => (isBusy ? 2 : 1) })();
  return seen.map((statement) => statement.replace("SET GLOBAL memory_limit = ", ""));
}

it.each([
  ["has a smaller limit for a moment", "1GiB", {}, ["'256MiB'", "'1GiB'"]],
  ["has its own limit again after DuckDB refused", "1GiB", { refused: /256MiB/ }, ["'256MiB'", "'1GiB'"]],
  ["keeps its limit while something reads", "1GiB", { isBusy: true }, []],
  ["keeps a limit that is small already", "200MB", {}, []],
  ["keeps the limit that DuckDB chose", null, {}, []],
])("a database that sheds memory %s", async (_what, limit, given, expected) => {
  expect(await statementsOf(limit, given)).toEqual(expected);
});

async function open(): Promise<FileStore> {
  const store = await openStore({ path: scratchPath(), readOnly: false, threads: 1, memoryLimit: "1000MB" });
  onTestFinished(() => store.close());
  return store;
}

async function limitOf(session: Session): Promise<unknown> {
  return (await session.rows(sql`SELECT current_setting('memory_limit')`))[0]?.[0];
}

it("a store has the limit that it was opened with after it shed memory in a write", async () => {
  const store = await open();
  const before = await store.read(limitOf);
  await store.write(() => store.shedMemory());
  expect([before, await store.read(limitOf)]).toEqual(["953.6 MiB", "953.6 MiB"]);
});

it("a write in which a statement failed is taken back, and the next one has its connection and the limit", async () => {
  const store = await open();
  const before = await store.read(limitOf);
  const failed = store.write(async (session) => {
    await session.run(sql`INSERT INTO projects VALUES (1, 'lost')`);
    await session.run(sql`SELECT error('planted')`);
  });
  await expect(failed).rejects.toThrow("planted");
  const projects = await store.write((session) => session.rows(sql`SELECT count(*) FROM projects`));
  expect([projects, await store.read(limitOf)]).toEqual([[[0n]], before]);
});

it("a long load sheds memory between two statements, each sixteenth batch", async () => {
  const store = await open();
  const done: string[] = [];
  const shedMemory = () => Promise.resolve(void done.push("shed"));
  await store.write(async (session) => {
    const behind = writeBehind(
      { ...session, run: () => Promise.resolve(void done.push("write")) },
      { limitToOneThread: store.limitToOneThread, shedMemory },
    );
    for (let batch = 0; batch < 33; batch++) {
      void behind.session.run(sql`SELECT 1`);
      await behind.endBatch();
    }
    await behind.written();
  });
  const sixteen = Array.from({ length: 16 }, () => "write");
  expect(done).toEqual([...sixteen, "shed", ...sixteen, "shed", "write"]);
});
