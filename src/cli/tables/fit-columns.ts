import { columnWidths, GAP, type PrintedColumn } from "../../demo/text-table.ts";

/** A column of a table that is shown, with its place among all columns. */
interface FittedColumn {
  readonly index: number;
  readonly column: PrintedColumn;
  readonly width: number;
}

/** A shortened text has at least so many cells; the head of numbers at least so many. */
const LEAST = 8;
const LEAST_HEAD = 5;

/**
 * Chooses the columns and their widths so that a line fits into `width` cells. The widest columns are shortened first;
 * numbers and what is to be copied stay whole. Columns that still have no room are left out from the right.
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
  const shown = longestPrefix(least, width);
  const cap = widestCap(wanted.slice(0, shown), least, width);
  return whole.slice(0, shown).map((one, i) => ({ ...one, width: capped(one.width, least[i] ?? 0, cap) }));
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
    return columns[i]?.align === "right"
      ? Math.max(cells, Math.min(full, LEAST_HEAD))
      : Math.min(full, LEAST);
  });
}

/** How many columns fit from the left, at least one. */
function longestPrefix(widths: readonly number[], width: number): number {
  let taken = -GAP.length;
  const tooMany = widths.findIndex((one) => (taken += one + GAP.length) > width);
  return Math.max(1, tooMany === -1 ? widths.length : tooMany);
}

/** The largest width to which all columns can be capped so that a line fits. */
function widestCap(wanted: readonly number[], least: readonly number[], width: number): number {
  for (let cap = width; cap > 1; cap--)
    if (lineWidth(wanted.map((one, i) => capped(one, least[i] ?? 0, cap))) <= width) return cap;
  return 1;
}

function capped(wanted: number, least: number, cap: number): number {
  return Math.max(least, Math.min(wanted, cap));
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one + GAP.length, -GAP.length);
}
