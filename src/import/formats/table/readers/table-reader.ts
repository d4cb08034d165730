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
  readonly shape?: "split" | "experiment";
  /** What divides the cells of a CSV file. */
  readonly delimiter?: string;
  /** Places of records that repeat the header; they are left out. Complete when all records are read. */
  readonly headers?: readonly string[];
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
