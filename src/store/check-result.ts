import { isLack, StoreError } from "../errors.ts";

/** What a check found. */
export interface CheckResult {
  /** Each table that was read, with the number of its records. */
  readonly tables: readonly { readonly name: string; readonly records: number }[];
  /** Empty: what was read is whole. */
  readonly problems: readonly Problem[];
  /**
   * What could not be read or compared for want of memory, time, open files or a server: nothing is known of it. Mostly
   * empty.
   */
  readonly unknown: readonly Undetermined[];
  /** When something was stored last, to the second, in UTC, as far as this copy tells; null where it does not. */
  readonly last_write_at: string | null;
}

/** Something that is neither known to be whole nor known to be damaged. */
export interface Undetermined {
  /** Name of the table. */
  readonly table: string;
  /** Code of the error: `out_of_memory`, `too_many_files`, `timeout` and others. */
  readonly code: string;
  /** What was lacking, in a sentence. */
  readonly message: string;
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

/** What is not known of a table after an error that says nothing of what is stored; null after any other. */
export function unknownAfter(table: string, error: unknown): Undetermined | null {
  if (!isLack(error)) return null;
  return { table, code: error.code, message: `${table}: nothing is known of it: ${error.message}` };
}

/** Counts the records of each table; one that cannot be read does not hide the others. */
export async function readTables(
  names: readonly string[],
  count: (table: string) => Promise<unknown>,
): Promise<Omit<CheckResult, "last_write_at">> {
  const tables: { name: string; records: number }[] = [];
  const problems: Problem[] = [];
  const unknown: Undetermined[] = [];
  for (const name of names)
    try {
      tables.push({ name, records: Number(await count(name)) });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const lack = unknownAfter(name, error);
      if (lack !== null) {
        unknown.push(lack);
        continue;
      }
      const message = `${name}: cannot be read: ${error.message}`;
      problems.push({ kind: "unreadable", table: name, records: null, message });
    }
  return { tables, problems, unknown };
}
