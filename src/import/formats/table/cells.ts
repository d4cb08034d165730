import { isJsonObject, type Json } from "../../../model/json.ts";
import { hashOf } from "../../translate/ids.ts";
import type { LogTrial } from "../../translate/log-parts.ts";
import type { TableMapping } from "../../translate/table-mapping.ts";
import { EMPTY_COLUMN, isFilled, plainValue, readScoreValue, type ColumnFacts } from "./column-types.ts";
import type { TableRoles } from "./find-roles.ts";
import type { Measure, Unit } from "./guess-names.ts";
import { cellText, nameIn, type TableRecord } from "./readers/table-reader.ts";
import type { ScoreColumn } from "./score-columns.ts";

/** What reads records of one table. */
export interface TableView {
  readonly columns: readonly string[];
  readonly facts: readonly ColumnFacts[];
  readonly isText: boolean;
  readonly roles: TableRoles;
  readonly mapping: TableMapping;
  /** Columns of scores and other measures; of a table with one record a score, the scores by their names. */
  readonly scores: ReadonlyMap<string, ScoreColumn>;
  /** The units of the columns of measures. */
  readonly units: Readonly<Record<Measure, Unit>>;
  /** Columns that are a dimension of a score. */
  readonly dimensions: ReadonlyMap<string, readonly [score: string, member: string]>;
  /** Whether all records of one row have the same input and expected answer. */
  readonly rowsAgree: boolean;
  readonly splits: LogTrial["splits"];
}

/** The text of a record's cell. */
export function textOf(columns: readonly string[], record: TableRecord, column: string): string {
  return cellText(record.cells[columns.indexOf(column)]).trim();
}

/** The texts of a role's cells, with commas between them; empty where it has no column. */
export function textsOf(columns: readonly string[], record: TableRecord, role: readonly string[]): string {
  const [only] = role;
  if (only === undefined) return "";
  if (role.length === 1) return textOf(columns, record, only);
  return role.map((column) => textOf(columns, record, column)).join(", ");
}

/** What a role's cells name, such as a model; a cell may be an object with a name. Empty where there is none. */
export function namedIn(columns: readonly string[], record: TableRecord, role: readonly string[]): string {
  let names = "";
  for (const column of role) {
    const cell = record.cells[columns.indexOf(column)];
    const name = (isJsonObject(cell) ? nameIn(cell) : null) ?? textOf(columns, record, column);
    if (name !== "") names = names === "" ? name : `${names}, ${name}`;
  }
  return names;
}

/** The value of a record's cell that is no score; undefined where there is none. */
export function valueOf(view: TableView, record: TableRecord, column: string): Json | undefined {
  const at = view.columns.indexOf(column);
  return plainValue(record.cells[at], view.facts[at] ?? EMPTY_COLUMN, view.isText);
}

/** The value of a score, and the text of a cell that gives none. */
interface CellScore {
  readonly value: Json;
  readonly text: string | null;
}

/** The score of a record in a column; `name`: of which score, where a record is one. */
export function scoreOf(view: TableView, record: TableRecord, column: string, name = column): CellScore {
  const cell = record.cells[view.columns.indexOf(column)];
  const score = view.scores.get(name);
  const value = readScoreValue(cell, score?.facts ?? EMPTY_COLUMN, score?.decimal ?? "point");
  return { value, text: value === null && isFilled(cell) ? cellText(cell) : null };
}

/** The value of one column, or of several an object of them by their names; undefined where all are empty. */
export function valuesOf(view: TableView, record: TableRecord, columns: readonly string[]): Json | undefined {
  const [only] = columns;
  if (only !== undefined && columns.length === 1) return valueOf(view, record, only);
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
