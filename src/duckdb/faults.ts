import { EvalcubeError, StoreError } from "../errors.ts";

/** Faults of the disk and of the database: DuckDB's message for each, and advice for the user. */
const FAULTS: readonly { readonly says: RegExp; readonly code: string; readonly advice: string }[] = [
  {
    says: /database has been invalidated/,
    code: "database_stopped",
    advice:
      "DuckDB stopped using the database after a fault of the disk; close the engine and open it again: what was acknowledged is kept",
  },
  {
    says: /No space left on device|Disk quota exceeded|File too large/,
    code: "storage_full",
    advice: "the disk is full; nothing of this write is stored; free some space and repeat it",
  },
  {
    says: /Corrupt database file/,
    code: "damaged_database",
    advice: "the file is damaged; evalcube check lists what is, and a backup has it whole",
  },
];

/** Recognises a fault of the disk or the database in DuckDB's error; null if it is none, or was reported already. */
export function storeFault(path: string, error: unknown): StoreError | null {
  const isRefusal = error instanceof StoreError && error.code === "query_failed";
  if (error instanceof EvalcubeError && !isRefusal) return null;
  const cause = isRefusal ? error.cause : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  const fault = FAULTS.find(({ says }) => says.test(message));
  if (fault === undefined) return null;
  const { code, advice } = fault;
  return new StoreError(code, `${path}: ${advice} (DuckDB: ${message.split("\n")[0]})`, { cause });
}
