import { DuckDBInstance } from "@duckdb/node-api";
import { StoreError } from "../../../errors.ts";

/** Throws `StoreError` on what DuckDB cannot open, with what to do about it. */
export async function openInstance(path: string, config: Record<string, string>): Promise<DuckDBInstance> {
  try {
    return await DuckDBInstance.create(path, config);
  } catch (error) {
    throw openError(path, error);
  }
}

function openError(path: string, error: unknown): StoreError {
  const message = error instanceof Error ? error.message : String(error);
  if (/lock/i.test(message)) {
    return new StoreError(
      "locked_database",
      `${path}: another process has the database open; close it there, or open it readOnly in both`,
      { cause: error },
    );
  }
  if (/not a valid DuckDB|magic bytes|serializ/i.test(message)) {
    return new StoreError("foreign_database", `${path}: this is no DuckDB database; choose another path`, {
      cause: error,
    });
  }
  if (/storage version|newer/i.test(message)) {
    return new StoreError(
      "newer_database",
      `${path}: written by a newer DuckDB; update evalcube to open it`,
      { cause: error },
    );
  }
  return new StoreError("unusable_database", `${path}: the database cannot be opened: ${message}`, {
    cause: error,
  });
}
