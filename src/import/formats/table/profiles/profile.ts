import type { TableMapping } from "../../../translate/table-mapping.ts";
import type { TableReader } from "../readers/table-reader.ts";

/** What is known of the tables of one tool. */
export interface TableProfile {
  readonly name: string;
  readonly fits: (reader: TableReader) => boolean;
  /** Reads the table in another way, such as without records that are no trials. */
  readonly open?: (reader: TableReader) => Promise<TableReader>;
  /** The name of a column, where it has another one; null for a column that says nothing. */
  readonly rename?: (column: string) => string | null;
  /** The roles of columns, by the names in the header. Roles of which nothing is known are absent. */
  readonly roles: (columns: readonly string[]) => TableMapping;
  /** Whether every other column of numbers or booleans is a score. */
  readonly scoresAreNumbers?: boolean;
  /** Whether a column without a role says something of the answer, though it may be the same in all records of a row. */
  readonly isOfTrial?: (column: string) => boolean;
}

/** Of these columns those that are there. */
export function present(columns: readonly string[], ...names: readonly string[]): string[] {
  return names.filter((name) => columns.includes(name));
}

export function beginning(columns: readonly string[], ...begins: readonly string[]): string[] {
  return columns.filter((column) => begins.some((begin) => column.startsWith(begin)));
}

/** The roles that have a column. */
export function rolesOf(roles: { readonly [role in keyof TableMapping]?: readonly string[] }): TableMapping {
  return Object.fromEntries(Object.entries(roles).filter(([, columns]) => columns.length > 0));
}
