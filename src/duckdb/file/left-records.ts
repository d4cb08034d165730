import type { DuckDBConnection } from "@duckdb/node-api";
import type { FileSession } from "../../store/session.ts";
import { constant, sql } from "../../store/sql.ts";
import type { StoreWarning } from "../../store/warning.ts";

const TABLES = ["evaluations", "trials", "scores", "rows", "calls", "feedback"];

/** DuckDB keeps these numbers: no column is read. */
const COUNTED = TABLES.map(
  (name) => `SELECT '${name}' AS table_name, count(*) AS records FROM main.${name}`,
).join(" UNION ALL ");

const COMPARED = `SELECT table_name, c.records::DOUBLE, l.records::DOUBLE
  FROM main.left_records AS l JOIN (${COUNTED}) AS c USING (table_name) WHERE c.records <> l.records ORDER BY table_name`;

/**
 * The warning of a file whose tables do not have as many records as evalcube left; null where they do, or that is not
 * known.
 */
export async function changedElsewhere(
  path: string,
  connection: DuckDBConnection,
): Promise<StoreWarning | null> {
  const changes = (await connection.runAndReadAll(COMPARED)).getRows();
  if (changes.length === 0) return null;
  const told = changes.map(([table, now, left]) => `${String(table)}: ${String(now)}, not ${String(left)}`);
  const message = `${path} was changed by another program (${told.join(", ")}); evalcube check tells more`;
  return { code: "changed_elsewhere", message };
}

/**
 * Empties what is known of the numbers with the first write, so that a process that is killed leaves none that are
 * wrong. Notes the time of each write.
 */
export interface LeftRecords {
  /** Runs `write`, and notes its time in its transaction; where it is the first one, empties the numbers there. */
  readonly with: <T>(write: (before: (session: FileSession) => Promise<void>) => Promise<T>) => Promise<T>;
  /** Stores the numbers, when all writes have ended. Where that fails, there are none, and nothing is compared. */
  readonly leave: () => Promise<void>;
}

const MICROSECONDS = 1_000_000n;

export function createLeftRecords(connection: DuckDBConnection, checkFile: () => Promise<void>): LeftRecords {
  let isEmptied = false;
  let noted = 0;
  return {
    with: async (write) => {
      const second = Math.floor(Date.now() / 1000);
      const result = await write(async (session) => {
        if (!isEmptied)
          for (const table of [sql`left_records`, sql`writes`]) await session.run(sql`DELETE FROM ${table}`);
        // An UPDATE of one record would keep the file from being written while older transactions are open.
        if (second !== noted)
          await session.run(sql`INSERT INTO writes VALUES (${constant(BigInt(second) * MICROSECONDS)})`);
      });
      isEmptied = true;
      noted = second;
      return result;
    },
    leave: async () => {
      if (!isEmptied) return;
      try {
        await checkFile();
        await connection.run(`INSERT INTO main.left_records ${COUNTED}`);
      } catch {
        // The file was lost, or the disk is full.
      }
    },
  };
}
