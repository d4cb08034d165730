import { columnWidths, GAP, type PrintedColumn } from "../../text/text-table.ts";
import { labelMark, textWidth } from "../../text/text-width.ts";

/** A column of a table that is shown, with its place among all columns. */
interface FittedColumn {
  readonly index: number;
  readonly column: PrintedColumn;
  readonly width: number;
}

/**
 * A shortened text has at least so many cells; the head of numbers, and the name before the mark of a label, at least
 * so many.
 */
const LEAST = 8;
const LEAST_HEAD = 5;
const LEAST_NAME = 4;

/**
 * Chooses the columns and their widths so that a line fits into `width` cells. The widest columns are shortened first;
 * numbers and what is to be copied stay whole. Columns that still have no room beside those on their left are left out,
 * essential ones last.
 */
export function fitColumns(
  columns: readonly PrintedColumn[],
  rows: readonly (readonly string[])[],
  width: number | null,
): FittedColumn[] {
  const wanted = columnWidths(columns, rows);
  const whole = columns.map((column, index) => ({ index, column, width: wanted[index] ?? 0 }));
  if (width === null || lineWidth(wanted) <= width) return whole;
  const least = leastWidths(columns, rows, wanted);
  const fits = fitting(columns, least, width);
  const shown = whole.filter(({ index }) => fits.has(index));
  const cap = widestCap(shown, least, width);
  return shown.map((one) => ({ ...one, width: capped(one, least, cap) }));
}

/** How narrow each column may become. */
function leastWidths(
  columns: readonly PrintedColumn[],
  rows: readonly (readonly string[])[],
  wanted: readonly number[],
): number[] {
  const headless = columns.map(() => ({ head: "" }));
  return columnWidths(headless, rows).map((cells, i) => {
    const full = wanted[i] ?? 0;
    if (columns[i]?.whole === true) return full;
    if (columns[i]?.labels === true) return leastLabel(rows, i, full);
    return columns[i]?.align === "right"
      ? Math.max(cells, Math.min(full, LEAST_HEAD))
      : Math.min(full, LEAST);
  });
}

/** Labels keep what tells them apart, and some of their names. */
function leastLabel(rows: readonly (readonly string[])[], place: number, full: number): number {
  const marks = rows.map((row) => textWidth(labelMark(row[place] ?? "")));
  return Math.min(
    full,
    marks.reduce((most, one) => Math.max(most, one + LEAST_NAME), LEAST),
  );
}

/** The columns that fit: essential ones first, then from the left, at least one. */
function fitting(
  columns: readonly PrintedColumn[],
  least: readonly number[],
  width: number,
): ReadonlySet<number> {
  const order = [...columns.keys()].toSorted((a, b) => rank(columns[a]) - rank(columns[b]) || a - b);
  const taken: number[] = [];
  for (const index of order) {
    const widths = [...taken, index].map((one) => least[one] ?? 0);
    if (taken.length === 0 || lineWidth(widths) <= width) taken.push(index);
  }
  return new Set(taken);
}

function rank(column: PrintedColumn | undefined): number {
  return column?.essential === true ? 0 : 1;
}

/** The largest width to which all columns can be capped so that a line fits. */
function widestCap(columns: readonly FittedColumn[], least: readonly number[], width: number): number {
  for (let cap = width; cap > 1; cap--)
    if (lineWidth(columns.map((column) => capped(column, least, cap))) <= width) return cap;
  return 1;
}

function capped({ index, width }: FittedColumn, least: readonly number[], cap: number): number {
  return Math.max(least[index] ?? 0, Math.min(width, cap));
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one + GAP.length, -GAP.length);
}
