import type { DuckDBConnection } from "@duckdb/node-api";

const CREATE = "CREATE INDEX IF NOT EXISTS trials_by_version_key ON trial_versions (version_key)";
const DROP = "DROP INDEX IF EXISTS trials_by_version_key";

/** As many records as DuckDB keeps together in a row group: fewer dead ones stay where they are. */
const FEW_RECORDS = 122_880;
/** Which part of the records may be dead. */
const MOST_DEAD = 1 / 3;

/**
 * Makes the index of trials where there is none, and anew where it lacks the newest record, as after another program has replayed a log
 * (docs/duckdb-reports.md, 1).
 */
export async function mendTrialIndex(connection: DuckDBConnection): Promise<void> {
  await connection.run(CREATE);
  const newest = await connection.runAndReadAll(
    "SELECT version_key FROM trial_versions WHERE rowid = (SELECT max(rowid) FROM trial_versions)",
  );
  const key = newest.getRows()[0]?.[0];
  if (key === undefined) return;
  const found = await connection.runAndReadAll(
    `SELECT 1 FROM trial_versions WHERE version_key = ${Number(key)}`,
  );
  if (found.currentRowCount > 0) return;
  await connection.run(DROP);
  await connection.run(CREATE);
}

/**
 * Deletes the dead versions of trials where they are many. A checkpoint gives up the space of what was deleted, but only of a
 * table without an index. If the process stops on the way, the next one that opens the file makes the index.
 */
export async function dropDeadTrials(
  connection: DuckDBConnection,
  checkpoint: () => Promise<void>,
): Promise<void> {
  const counted = await connection.runAndReadAll(
    "SELECT count(*) FILTER (dead = 1)::DOUBLE, count(*)::DOUBLE FROM trial_versions",
  );
  const [dead = 0, all = 0] = (counted.getRows()[0] ?? []).map(Number);
  if (dead < Math.max(FEW_RECORDS, all * MOST_DEAD)) return;
  await connection.run(DROP);
  await connection.run("DELETE FROM trial_versions WHERE dead = 1");
  await checkpoint();
  await connection.run(CREATE);
  await checkpoint();
}
