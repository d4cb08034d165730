import { StoreError } from "../errors.ts";

/** What a check found. */
export interface CheckResult {
  /** Each table that was read, with the number of its records. */
  readonly tables: readonly { readonly name: string; readonly records: number }[];
  /** Empty: the database is whole. */
  readonly problems: readonly Problem[];
}

/** A rule that is broken, and in how many records. */
export interface Problem {
  /** What is wrong. */
  readonly kind: "unreadable" | "doubled" | "lost_reference" | "missing" | "superfluous" | "misplaced";
  /** Name of the table. */
  readonly table: string;
  /** Null where it is not known. */
  readonly records: number | null;
  /** The fault in a sentence, with an example. */
  readonly message: string;
}

/** `1 record`, `2 records`. */
export function countOf(records: number): string {
  return `${records} ${records === 1 ? "record" : "records"}`;
}

/** Counts the records of each table; one that cannot be read does not hide the others. */
export async function readTables(
  names: readonly string[],
  count: (table: string) => Promise<unknown>,
): Promise<CheckResult> {
  const tables: { name: string; records: number }[] = [];
  const problems: Problem[] = [];
  for (const name of names)
    try {
      tables.push({ name, records: Number(await count(name)) });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const message = `${name}: cannot be read: ${error.message}`;
      problems.push({ kind: "unreadable", table: name, records: null, message });
    }
  return { tables, problems };
}
