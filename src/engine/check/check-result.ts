/** What a check found. */
export interface CheckResult {
  readonly tables: readonly { readonly name: string; readonly records: number }[];
  /** Empty: the database is whole. */
  readonly problems: readonly Problem[];
}

/** Something that must not be, and in how many records. */
export interface Problem {
  readonly kind: "unreadable" | "doubled" | "lost_reference" | "missing" | "superfluous";
  readonly table: string;
  /** Null where it cannot be told. */
  readonly records: number | null;
  /** What is wrong, with an example. */
  readonly message: string;
}

/** `1 record`, `2 records`. */
export function countOf(records: number): string {
  return `${records} ${records === 1 ? "record" : "records"}`;
}
