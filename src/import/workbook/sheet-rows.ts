import { SourceFault } from "../read/fault.ts";
import { attribute, xmlPieces, type XmlHandler } from "../read/xml.ts";
import { entryBytes } from "../read/zip-entry.ts";
import { dateText } from "./dates.ts";
import { longer, unescaped, type Shared, type Sheet, type Workbook } from "./workbook.ts";

/** A row with its values as JSON, by their columns from 0. */
export interface SheetRow {
  /** From 1. */
  readonly row: number;
  readonly cells: ReadonlyMap<number, string>;
}

/** Cells that are one, from the first column and row to the last. */
export interface Merged {
  readonly row: number;
  readonly lastRow: number;
  readonly column: number;
  readonly lastColumn: number;
}

/** What was met in a sheet beside its values. */
export interface Met {
  /** Cells with an error instead of a value. */
  errors: number;
  readonly merged: Merged[];
}

const MOST_ROWS = 1_048_576;
const MOST_COLUMNS = 16_384;
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/;

/** The rows of a sheet that have a value, some at a time. Throws {@link SourceFault}. */
export async function* sheetRows(
  workbook: Workbook,
  { entry }: Sheet,
  shared: Shared,
  met: Met,
): AsyncGenerator<readonly SheetRow[]> {
  const rows: SheetRow[] = [];
  const handler = rowHandler(rows, { workbook, shared, met, place: entry.name });
  const pieces = xmlPieces(entryBytes(workbook.file, entry), entry.name, handler);
  while ((await pieces.next()).done !== true) yield rows.splice(0);
}

interface Reading {
  readonly workbook: Workbook;
  readonly shared: Shared;
  readonly met: Met;
  readonly place: string;
}

function rowHandler(rows: SheetRow[], reading: Reading): XmlHandler {
  let row = 0;
  let column = -1;
  let cells = new Map<number, string>();
  let kind = "";
  let style = 0;
  let value = "";
  let isValue = false;
  const open = (name: string, all: string) => {
    isValue = name === "v" || name === "t";
    if (name === "row") {
      row = Number(attribute(all, "r") ?? row + 1);
      column = -1;
      cells = new Map();
      if (!(row <= MOST_ROWS)) throw tooMany(reading, `${MOST_ROWS} rows`);
    } else if (name === "c") {
      column = columnOf(attribute(all, "r")) ?? column + 1;
      if (column >= MOST_COLUMNS) throw tooMany(reading, `${MOST_COLUMNS} columns`);
      kind = attribute(all, "t") ?? "n";
      style = Number(attribute(all, "s") ?? 0);
      value = "";
    } else if (name === "mergeCell") reading.met.merged.push(...mergedCells(attribute(all, "ref")));
  };
  const close = (name: string) => {
    isValue = false;
    if (name === "c") {
      const json = cellJson(kind, value, style, reading);
      if (json !== null) cells.set(column, json);
    } else if (name === "row" && cells.size > 0) rows.push({ row, cells });
  };
  const text = (written: string) => {
    if (isValue) value = longer(value, written);
  };
  return { open, close, text };
}

function tooMany({ place }: Reading, what: string): SourceFault {
  return new SourceFault("invalid", place, `has more than ${what}, which no workbook has`);
}

/** The value of a cell as JSON; null where it has none. */
function cellJson(
  kind: string,
  value: string,
  style: number,
  { workbook, shared, met }: Reading,
): string | null {
  if (kind === "e") met.errors++;
  if (kind === "e" || value === "") return null;
  if (kind === "s") return shared.texts[Number(value)] ?? null;
  if (kind === "b") return value === "1" || value === "true" ? "true" : "false";
  if (kind !== "n") return JSON.stringify(unescaped(value));
  const date = shared.isDate[style] === true ? dateText(Number(value), workbook.begins1904) : null;
  if (date !== null) return JSON.stringify(date);
  return NUMBER.test(value) ? value : JSON.stringify(value);
}

/** The column of a reference such as `AB12`, from 0; null where there is none. */
function columnOf(reference: string | null): number | null {
  const letters = /^\$?([A-Z]{1,7})/i.exec(reference ?? "")?.[1];
  if (letters === undefined) return null;
  return (
    Array.from(letters.toUpperCase()).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
  );
}

const MOST_MERGED = 10_000;

function mergedCells(reference: string | null): Merged[] {
  const [first = "", last = first] = (reference ?? "").split(":");
  const [column, lastColumn] = [columnOf(first), columnOf(last)];
  const [row, lastRow] = [first, last].map((one) => Number(one.replaceAll(/\D/g, "")));
  if (column === null || lastColumn === null || row === undefined || lastRow === undefined) return [];
  // Only those of a header matter.
  return row > MOST_MERGED ? [] : [{ row, lastRow, column, lastColumn }];
}
