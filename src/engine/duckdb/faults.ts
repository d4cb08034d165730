import { StoreError } from "../../errors.ts";

/** Faults of the disk and of the database by what DuckDB says of them, and what is to be done. */
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

/** The fault of the disk or the database that an error tells of; null where it is none. */
export function storeFault(path: string, error: unknown): StoreError | null {
  const message = error instanceof Error ? error.message : String(error);
  const fault = FAULTS.find(({ says }) => says.test(message));
  if (fault === undefined) return null;
  const { code, advice } = fault;
  return new StoreError(code, `${path}: ${advice} (DuckDB: ${firstLine(message)})`, { cause: error });
}

function firstLine(message: string): string {
  return message.replace(/^DuckDB refused a statement: /, "").split("\n")[0] ?? "";
}
