import { styleText } from "node:util";
import { textWidth } from "./text-width.ts";
import { oneLine } from "../model/plain-line.ts";

export interface PrintedColumn {
  readonly head: string;
  readonly align?: "left" | "right";
  /** Whether the texts stay whole where a terminal is too narrow, because people copy them. */
  readonly whole?: boolean;
  /** How much the column tells: where a terminal is too narrow those that tell least are left out first. Default 0. */
  readonly telling?: number;
  /** Whether the texts are names, which give way in their middle. */
  readonly labels?: boolean;
  /** Whether the head is a name, which does so too; other heads stay whole. */
  readonly named?: boolean;
}

/** A column with its cells, so that neither comes without the other. */
export interface CellColumn<Item> extends PrintedColumn {
  readonly cell: (item: Item, at: number) => string;
}

/** A column of numbers. */
export function figure<Item>(
  head: string,
  telling: number,
  cell: CellColumn<Item>["cell"],
): CellColumn<Item> {
  return { head, align: "right", telling, cell };
}

/** Columns, and a row of cells for each item. */
export interface Cells {
  readonly columns: readonly PrintedColumn[];
  readonly rows: readonly (readonly string[])[];
}

export function cellsOf<Item>(columns: readonly CellColumn<Item>[], items: readonly Item[]): Cells {
  return { columns, rows: items.map((item, at) => columns.map(({ cell }) => cell(item, at))) };
}

/** The cells that the widest text of each column takes, its head included. */
export function columnWidths(
  columns: readonly PrintedColumn[],
  rows: readonly (readonly string[])[],
): number[] {
  const widths = columns.map(({ head }) => textWidth(oneLine(head)));
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, textWidth(oneLine(cell)));
  }
  return widths;
}

/** The head, and the rule below it. */
export function headLines(
  columns: readonly PrintedColumn[],
  widths: readonly number[],
  colour: boolean,
): [head: string, rule: string] {
  const heads = columns.map(({ head }) => strong(oneLine(head), colour));
  return [aligned(heads, columns, widths), widths.map((width) => "─".repeat(width)).join(GAP)];
}

/** What stands between two columns. */
export const GAP = "  ";

/**
 * One line of a table, of texts without line ends; a text that is wider than its column pushes the rest to the right.
 */
export function aligned(
  texts: readonly string[],
  columns: readonly PrintedColumn[],
  widths: readonly number[],
): string {
  const padded = texts.map((text, i) => {
    const blanks = " ".repeat(Math.max(0, (widths[i] ?? 0) - textWidth(text)));
    return columns[i]?.align === "right" ? blanks + text : text + blanks;
  });
  return padded.join(GAP).trimEnd();
}

/** Makes the text bold where colours are wanted. */
export function strong(text: string, colour: boolean): string {
  return colour ? styleText("bold", text, { validateStream: false }) : text;
}
