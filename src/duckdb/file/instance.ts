import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { StoreError } from "../../errors.ts";
import { damagedLog } from "./damaged-log.ts";
import { lackOf } from "./lacks.ts";

/** DuckDB's messages when it refuses to open a file, and their meaning. The first match counts. */
const REFUSALS: readonly { readonly says: RegExp; readonly code: string; readonly advice: string }[] = [
  {
    says: /Could not set lock on file/,
    code: "locked_database",
    advice: "is in use by another process",
  },
  {
    says: /not a valid DuckDB|magic bytes/,
    code: "foreign_database",
    advice: "not a DuckDB database; choose another path",
  },
  {
    says: /storage version|version number|newer/,
    code: "newer_database",
    advice: "written by a newer DuckDB; update evalcube to open it",
  },
  {
    // Replaying a log that changes a table or index writes blocks, which a reader is not allowed to do.
    says: /replaying WAL file.*Bad file descriptor|Cannot write|opened in read-only mode/s,
    code: "needs_recovery",
    advice: "its log cannot be read without writing; open it once without readOnly",
  },
  {
    says: /Corrupt|corrupt|checksum|replaying WAL|deseriali[sz]|Failed to load metadata|Could not read enough bytes/,
    code: "damaged_database",
    advice:
      "the database is damaged, and stays as it is; restore a backup, or copy the file and have it looked at",
  },
];

/** An open database of DuckDB. */
export interface Instance {
  readonly connect: () => Promise<DuckDBConnection>;
  /**
   * Closes the connections and the database. A connection that stays open would hold the file until it is collected as
   * garbage; the process would lose its locks on the file then, also those of an instance that was opened since.
   */
  readonly closeSync: () => void;
}

/** Opens a file with DuckDB. If DuckDB refuses, throws `StoreError` with advice. */
export async function openInstance(path: string, config: Record<string, string>): Promise<Instance> {
  try {
    const instance = await DuckDBInstance.create(path, config);
    const connections: DuckDBConnection[] = [];
    return {
      connect: async () => {
        const connection = await instance.connect();
        connections.push(connection);
        return connection;
      },
      closeSync: () => {
        // One that is closed already stays so.
        for (const connection of connections) connection.closeSync();
        instance.closeSync();
      },
    };
  } catch (error) {
    throw damagedLog(path, error) ?? openError(path, error);
  }
}

const FREE_IT = "Stop it; where it is evalcube serve or view, ask it over HTTP.";

function openError(path: string, error: unknown): StoreError {
  const message = error instanceof Error ? error.message : String(error);
  const lack = lackOf(error);
  if (lack !== null) return new StoreError(lack.code, `${path}: ${lack.message}`, { cause: error });
  const found = REFUSALS.find(({ says }) => says.test(message));
  if (found === undefined) {
    return new StoreError("unusable_database", `${path}: the database cannot be opened: ${message}`, {
      cause: error,
    });
  }
  const { code, advice } = found;
  if (code === "locked_database") {
    const process = /\bPID (\d+)/.exec(message)?.[1];
    return new StoreError(
      code,
      `${path} ${advice}${process === undefined ? "" : ` (${process})`}. ${FREE_IT}`,
      {
        cause: error,
      },
    );
  }
  const said = code === "damaged_database" ? ` (DuckDB: ${message})` : "";
  return new StoreError(code, `${path}: ${advice}${said}`, { cause: error });
}
