import type { Json } from "../../../../model/json.ts";

/** A record of a table: its cells in the order of the columns. */
export interface TableRecord {
  /** Such as `line 37`. */
  readonly place: string;
  /** Undefined where the record has no such member, null where it is empty. */
  readonly cells: readonly (Json | undefined)[];
  /** Why the record is none, such as too many cells. */
  readonly fault?: string;
}

/** A table that can be read as often as needed. */
export interface TableReader {
  /** Names of the columns, without blanks around them. */
  readonly columns: readonly string[];
  /** How the file is laid out, where that tells which tool wrote it. */
  readonly shape?: "split" | "experiment" | "evalplus" | "swe-bench";
  /** What divides the cells of a CSV file. */
  readonly delimiter?: string;
  /** What is to be said of the table when all of it was read. */
  readonly notes?: () => readonly string[];
  /** Whether cells are texts whose types are those of their columns. */
  readonly isText: boolean;
  /** Reads the table for the names of its columns, where they do not stand at its begin. */
  readonly findColumns?: () => Promise<void>;
  readonly records: () => AsyncIterable<TableRecord>;
}

/** A cell as text: a string itself, anything else as JSON; empty where there is nothing. */
export function cellText(cell: Json | undefined): string {
  if (cell === undefined || cell === null) return "";
  if (typeof cell === "string") return cell;
  if (typeof cell !== "object") return String(cell);
  return JSON.stringify(cell, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one));
}
