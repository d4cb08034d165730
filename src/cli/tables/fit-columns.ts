import { columnWidths, GAP, type PrintedColumn } from "../../text/text-table.ts";
import { labelMark, textWidth } from "../../text/text-width.ts";
import { oneLine } from "../../model/plain-line.ts";

/** A column of a table that is shown, with its place among all columns. */
interface FittedColumn {
  readonly index: number;
  readonly column: PrintedColumn;
  readonly width: number;
}

/** A shortened text has at least so many cells; a name, and a head that is one, this share of a line. */
const LEAST = 8;
const NAME_SHARE = 0.2;

/**
 * Chooses the columns and their widths so that a line fits into `width` cells. The widest columns are shortened first;
 * heads, numbers and what is to be copied stay whole. Columns that still have no room are left out, those that tell
 * least first, of those that tell as much the last.
 */
export function fitColumns(
  columns: readonly PrintedColumn[],
  rows: readonly (readonly string[])[],
  width: number | null,
): FittedColumn[] {
  const wanted = columnWidths(columns, rows);
  const whole = columns.map((column, index) => ({ index, column, width: wanted[index] ?? 0 }));
  if (width === null || lineWidth(wanted) <= width) return whole;
  const least = leastWidths(columns, rows, width);
  const fits = fitting(columns, least, width);
  const shown = whole.filter(({ index }) => fits.has(index));
  const cap = widestCap(shown, least, width);
  return shown.map((one) => ({ ...one, width: capped(one, least, cap) }));
}

/** How narrow each column may become. */
function leastWidths(
  columns: readonly PrintedColumn[],
  rows: readonly (readonly string[])[],
  width: number,
): number[] {
  const name = Math.max(LEAST, Math.floor(width * NAME_SHARE));
  const cells = columnWidths(
    columns.map(() => ({ head: "" })),
    rows,
  );
  return columns.map(({ head, align, whole, labels, named }, i) => {
    const full = cells[i] ?? 0;
    const own = textWidth(oneLine(head));
    const marks = labels === true ? rows.map((row) => textWidth(labelMark(row[i] ?? ""))) : [];
    const mark = marks.reduce((most, one) => Math.max(most, one), 0);
    const least = mark > 0 ? mark + name / 2 : labels === true ? name : LEAST;
    const text = whole === true || align === "right" ? full : Math.min(full, Math.ceil(least));
    return Math.min(width, Math.max(named === true ? Math.min(own, name) : own, text));
  });
}

/** The columns that fit: those that tell most first, then from the left, at least one. */
function fitting(
  columns: readonly PrintedColumn[],
  least: readonly number[],
  width: number,
): ReadonlySet<number> {
  const telling = (index: number) => columns[index]?.telling ?? 0;
  const order = [...columns.keys()].toSorted((a, b) => telling(b) - telling(a) || a - b);
  const taken: number[] = [];
  for (const index of order) {
    const widths = [...taken, index].map((one) => least[one] ?? 0);
    if (taken.length === 0 || lineWidth(widths) <= width) taken.push(index);
  }
  return new Set(taken);
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
