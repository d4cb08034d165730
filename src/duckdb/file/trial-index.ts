import type { DuckDBConnection } from "@duckdb/node-api";

const CREATE = "CREATE INDEX IF NOT EXISTS trials_by_version_key ON trials (version_key)";
const DROP = "DROP INDEX IF EXISTS trials_by_version_key";

/**
 * The space of fewer deleted records is left: 20,000 trials of 1 KB, stored 13 times, had a file of 43 instead of 263
 * MiB.
 */
const FEW_RECORDS = 20_000;
/** How many deleted records there may be for each that is stored. */
const MOST_DELETED = 1 / 2;

/**
 * Makes the index of trials where there is none. Makes it anew after a log was replayed, and where it lacks the newest
 * record, as when another program has replayed a log: DuckDB would end the use of a database that deletes what an index
 * lacks (docs/duckdb-reports.md, 1).
 */
export async function mendTrialIndex(connection: DuckDBConnection, hadLog: boolean): Promise<void> {
  if (hadLog) await connection.run(DROP);
  await connection.run(CREATE);
  if (await hasNewest(connection)) return;
  await connection.run(DROP);
  await connection.run(CREATE);
}

async function hasNewest(connection: DuckDBConnection): Promise<boolean> {
  const { places } = await countPlaces(connection);
  const newest = await connection.runAndReadAll(`SELECT version_key FROM trials WHERE rowid = ${places - 1}`);
  const key = newest.getRows()[0]?.[0] ?? null;
  if (key === null) return true;
  const found = await connection.runAndReadAll(`SELECT 1 FROM trials WHERE version_key = ${Number(key)}`);
  return found.currentRowCount > 0;
}

/**
 * Gives up the space of trials that were deleted: a checkpoint does so, but only of a table without an index. No
 * transaction may be under way, since DuckDB runs no checkpoint beside one that is older than a change of the schema.
 * If the process stops on the way, the next one that opens the file makes the index.
 */
export async function vacuumTrials(
  connection: DuckDBConnection,
  checkpoint: () => Promise<void>,
): Promise<void> {
  await withoutTrialIndex(connection, checkpoint);
  await checkpoint();
}

/** Runs work while the trials have no index. */
export async function withoutTrialIndex(
  connection: DuckDBConnection,
  work: () => Promise<void>,
): Promise<void> {
  await connection.run(DROP);
  try {
    await work();
  } finally {
    await connection.run(CREATE);
  }
}

/** Whether much space is that of deleted trials. Records lie at places from 0 on, of which deleted ones keep theirs. */
export async function areTrialsSparse(connection: DuckDBConnection): Promise<boolean> {
  const { stored, places } = await countPlaces(connection);
  return places - stored >= Math.max(FEW_RECORDS, stored * MOST_DELETED);
}

async function countPlaces(connection: DuckDBConnection): Promise<{ stored: number; places: number }> {
  const counted = await connection.runAndReadAll(
    "SELECT count(*)::DOUBLE, coalesce(max(rowid) + 1, 0)::DOUBLE FROM trials",
  );
  const [stored = 0, places = 0] = (counted.getRows()[0] ?? []).map(Number);
  return { stored, places };
}
