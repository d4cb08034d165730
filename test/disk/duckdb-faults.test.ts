import { appendFileSync, readFileSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { scratchPath } from "../support/scratch.ts";
import { BLOCK_BYTES, BLOCKS_START } from "./damage.ts";

/**
 * The faults of DuckDB that docs/duckdb-reports.md describes. One of these tests that fails says that DuckDB has mended
 * its fault, and what was done about it may go.
 */

const KEEP_LOG = "PRAGMA disable_checkpoint_on_shutdown";

/** Runs statements one after another; closes the database without a checkpoint where `KEEP_LOG` is among them. */
async function session(path: string, ...statements: readonly string[]): Promise<unknown[][]> {
  const instance = await DuckDBInstance.create(path, { default_block_size: String(BLOCK_BYTES) });
  try {
    const connection = await instance.connect();
    let records: unknown[][] = [];
    for (const statement of statements) records = (await connection.runAndReadAll(statement)).getRowsJS();
    connection.closeSync();
    return records;
  } finally {
    instance.closeSync();
  }
}

it("closing after a replayed log writes an index that finds nothing", async () => {
  const path = scratchPath();
  const table = "CREATE TABLE t (k INTEGER NOT NULL, v VARCHAR NOT NULL)";
  await session(
    path,
    KEEP_LOG,
    table,
    "CREATE INDEX tk ON t (k)",
    "INSERT INTO t SELECT range, 'old' FROM range(20)",
  );
  await session(path);
  const [found] = await session(path, "SELECT count(*)::INTEGER FROM t WHERE k = 1");
  expect(found, "DuckDB has mended this: see docs/duckdb-reports.md").toEqual([0]);
});

it("a checkpoint writes over blocks that the checkpoint before needs", async () => {
  const path = scratchPath();
  await session(path, "CREATE TABLE t AS SELECT range AS k FROM range(1000)");
  const before = readFileSync(path);
  const [[block] = []] = await session(path, "SELECT block_id::INTEGER FROM pragma_metadata_info()");
  await session(path, "INSERT INTO t VALUES (1000)");
  const after = readFileSync(path);
  const start = BLOCKS_START + Number(block) * BLOCK_BYTES;
  const isSame = before
    .subarray(start, start + BLOCK_BYTES)
    .equals(after.subarray(start, start + BLOCK_BYTES));
  expect(isSame, "DuckDB has mended this: see docs/duckdb-reports.md").toBe(false);
});

it("a log that ends in zeros keeps a database from being opened", async () => {
  const path = scratchPath();
  await session(path, KEEP_LOG, "CREATE TABLE t (k INTEGER)", "INSERT INTO t VALUES (1)");
  appendFileSync(`${path}.wal`, Buffer.alloc(512));
  await expect(session(path), "DuckDB has mended this: see docs/duckdb-reports.md").rejects.toThrow(
    /Corrupt WAL file: entry at byte position \d+/,
  );
});

it("three powers of two are written as other numbers", async () => {
  const powers = await session(
    scratchPath(),
    "SELECT e::INTEGER FROM range(-1074, 1024) AS t(e) WHERE TRY_CAST(CAST(pow(2, e) AS VARCHAR) AS DOUBLE) IS DISTINCT FROM pow(2, e)",
  );
  expect(powers.flat(), "DuckDB has mended this: see docs/duckdb-reports.md").toEqual([81, 91, 807]);
});
