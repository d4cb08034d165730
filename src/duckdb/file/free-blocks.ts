import type { DuckDBConnection } from "@duckdb/node-api";
import { withoutTrialIndex } from "./trial-index.ts";

/** Fewer bytes are left in the file. */
const FEW_BYTES = 8 * 1024 * 1024;

/** How many blocks of the file have data; null where not many more are free. */
export async function usedOfSparse(connection: DuckDBConnection): Promise<number | null> {
  const found = await connection.runAndReadAll(
    `SELECT used_blocks::DOUBLE, free_blocks::DOUBLE, block_size::DOUBLE FROM pragma_database_size()
    WHERE database_name = current_database()`,
  );
  const [used = 0, free = 0, size = 0] = (found.getRows()[0] ?? []).map(Number);
  return free > 2 * used && free * size > FEW_BYTES ? used : null;
}

/**
 * Writes tables anew that have blocks behind the free ones: DuckDB gives up space at the end of a file alone. No
 * transaction may be under way. `used`: so many blocks have data.
 */
export async function moveForward(
  connection: DuckDBConnection,
  used: number,
  checkpoint: () => Promise<void>,
): Promise<void> {
  const tables = await connection.runAndReadAll(
    "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database() AND schema_name = 'main'",
  );
  const names = tables.getRows().map(([name]) => String(name));
  for (const name of names) {
    const last = await connection.runAndReadAll(
      `SELECT coalesce(max(block_id), 0)::DOUBLE FROM pragma_storage_info('${name}') WHERE persistent`,
    );
    if (Number(last.getRows()[0]?.[0]) < used) continue;
    const move = () => moveTable(connection, name);
    await (name === "trials" ? withoutTrialIndex(connection, move) : move());
  }
  await checkpoint();
}

async function moveTable(connection: DuckDBConnection, name: string): Promise<void> {
  await connection.run("BEGIN");
  try {
    await connection.run(`CREATE TEMP TABLE moved AS FROM ${name}; DELETE FROM ${name};
      INSERT INTO ${name} FROM moved; DROP TABLE moved; COMMIT`);
  } catch (error) {
    await connection.run("ROLLBACK").catch(() => undefined);
    throw error;
  }
}
