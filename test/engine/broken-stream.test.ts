import { expect, it } from "vitest";
import { StoreError } from "../../src/errors.ts";
import { openStore } from "../../src/duckdb/store.ts";
import { openSession } from "../../src/duckdb/session.ts";
import type { FileStore } from "../../src/store/session.ts";
import type { SqlStatement } from "../../src/store/sql.ts";
import { scratchPath } from "../support/scratch.ts";

/** So many short texts are read before the long one, more than DuckDB makes ahead. */
const SHORT = 2_000_000;

/** A database with a text that is longer than the memory of who opens it again. */
async function withLongText() {
  const path = scratchPath();
  const none = { path, readOnly: false, threads: 1 };
  const store = await openStore({ ...none, memoryLimit: "400MiB" });
  const statements = [
    "SET GLOBAL force_compression = 'uncompressed'",
    `CREATE TABLE t AS SELECT i, 'short' || i AS a FROM range(${SHORT}) r(i)`,
    `INSERT INTO t VALUES (${SHORT}, repeat('x', 50000000))`,
  ];
  for (const text of statements) await store.write((session) => session.run({ parts: [text], holes: [] }));
  await store.close();
  return await openStore({ ...none, readOnly: true, memoryLimit: "40MiB" });
}

/** Reads a result to its end; gives how many records came before. */
async function readAll(store: FileStore, query: SqlStatement) {
  let records = 0;
  const reading = store.read(async (session) => {
    for await (const { length } of (await session.vectors(query)).batches) records += length;
  });
  const error: unknown = await reading.then(
    () => null,
    (fault: unknown) => fault,
  );
  return { records, error };
}

it("a result that breaks off while it is read says why, and what comes next is answered", async () => {
  const store = await withLongText();
  const ask = (sql: string) => readAll(store, { sql, params: [{ value: 0, type: "INTEGER" }] });
  const memory = await ask("SELECT a, $1 FROM t");
  expect(memory.error).toMatchObject({ code: "out_of_memory" });
  expect(memory.records).toBeGreaterThan(0);
  const other = await ask(
    `SELECT CASE WHEN i < ${SHORT - 1} THEN a ELSE error('no such luck') END, $1 FROM t`,
  );
  expect(other.error).toMatchObject({
    code: "query_failed",
    message: expect.stringContaining("no such luck") as string,
  });
  expect(other.records).toBeGreaterThan(0);
  expect(await ask(`SELECT i + $1 FROM t WHERE i < 5`)).toEqual({ records: 5, error: null });
  await store.close();
});

/** A session whose streamed result broke off, and what becomes of the statement when it runs again. */
function brokenOff(again: () => Promise<unknown>) {
  const connection = { run: () => Promise.reject(new Error("Current transaction is aborted")) };
  const ended = { columnNames: () => [], columnTypes: () => [], fetchChunk: () => Promise.resolve(null) };
  const given = [connection, { start: () => Promise.resolve(ended) }, {}, null, undefined, {}, again, {}];
  const session = openSession(...(given as unknown as Parameters<typeof openSession>));
  return async () => {
    for await (const _ of (await session.vectors({ sql: "SELECT 1", params: [] })).batches);
  };
}

it("a result that breaks off once and not again is said to lack memory; one that cannot run again is no guess", async () => {
  await expect(brokenOff(() => Promise.resolve())()).rejects.toMatchObject({ code: "out_of_memory" });
  const unseen = new StoreError("query_failed", "DuckDB refused a statement: Catalog Error: no table t");
  await expect(brokenOff(() => Promise.reject(unseen))()).rejects.toMatchObject({
    code: "query_failed",
    message: expect.stringContaining("failed while its result was read") as string,
  });
  const stopped = new StoreError("interrupted", "the engine was told to end what is under way");
  await expect(brokenOff(() => Promise.reject(stopped))()).rejects.toBe(stopped);
});
