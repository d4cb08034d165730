import type { Json } from "../../../model/json.ts";
import { hashOf } from "../../translate/ids.ts";
import type { TableMapping } from "../../translate/table-mapping.ts";
import { typedCell, type ColumnFacts } from "./column-types.ts";
import type { TableRoles } from "./roles.ts";
import { cellText, type TableRecord } from "./readers/table-reader.ts";

/** What reads records of one table. */
export interface TableView {
  readonly name: string;
  readonly columns: readonly string[];
  readonly facts: readonly ColumnFacts[];
  readonly isText: boolean;
  readonly roles: TableRoles;
  readonly mapping: TableMapping;
  /** Of a table with one record a score: the type of each score's values. */
  readonly metrics: ReadonlyMap<string, ColumnFacts>;
  /** Columns without a role that belong to the row; the others belong to the trial. */
  readonly ofRow: ReadonlySet<string>;
}

/** The text of a record's cell; empty where there is none. */
export function textOf(columns: readonly string[], record: TableRecord, column: string | null): string {
  return column === null ? "" : cellText(record.cells[columns.indexOf(column)]).trim();
}

/** The value of a record's cell by the type of its column; undefined where there is none. */
export function valueOf(view: TableView, record: TableRecord, column: string | null): Json | undefined {
  if (column === null) return undefined;
  const at = view.columns.indexOf(column);
  return typedCell(record.cells[at], view.facts[at], view.isText);
}

/** The score of a record that is one score. */
export function scoreOf(view: TableView, record: TableRecord, metric: string): Json {
  const cell = record.cells[view.columns.indexOf(view.roles.value ?? "")];
  return typedCell(cell, view.metrics.get(metric), view.isText) ?? null;
}

/** The value of one column, or of several an object of them by their names; undefined where all are empty. */
export function valuesOf(view: TableView, record: TableRecord, columns: readonly string[]): Json | undefined {
  if (columns.length === 1) return valueOf(view, record, columns[0] ?? null);
  const members = columns.flatMap((column) => {
    const value = valueOf(view, record, column);
    return value === undefined ? [] : [[column, value] as const];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

/** What identifies a record's row: the text of its row columns, else a hash of its input. */
export function rowName(
  columns: readonly string[],
  record: TableRecord,
  roles: Pick<TableRoles, "row" | "input">,
): string {
  const { row, input } = roles;
  const [only] = row;
  if (row.length === 1 && only !== undefined) return textOf(columns, record, only);
  const texts = (row.length > 0 ? row : input).map((column) => textOf(columns, record, column));
  return row.length > 0 ? JSON.stringify(texts) : hashOf(texts);
}
