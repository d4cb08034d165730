import { styleText } from "node:util";
import Table from "cli-table3";

export interface PrintedColumn {
  readonly head: string;
  readonly align?: "left" | "right";
}

const NO_LINES = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "",
};

/** Formats aligned columns under a ruled head, without a frame and without blanks at line ends. */
export function textTable(
  columns: readonly PrintedColumn[],
  rows: readonly (readonly string[])[],
  colour = false,
): string {
  const widths = columns.map((column, i) =>
    Math.max(
      ...[column.head, ...rows.map((row) => row[i] ?? "")].flatMap((cell) => cell.split("\n")).map(length),
    ),
  );
  const table = new Table({
    chars: NO_LINES,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 2 },
    colAligns: columns.map((column) => column.align ?? "left"),
  });
  table.push(
    columns.map((column) => strong(column.head, colour)),
    widths.map((width) => "─".repeat(width)),
    ...rows.map((row) => [...row]),
  );
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

/** Makes the text bold where colours are wanted. */
export function strong(text: string, colour: boolean): string {
  return colour ? styleText("bold", text, { validateStream: false }) : text;
}

function length(text: string): number {
  return Array.from(text).length;
}

/** Formats `0.4203` as `42.03 %`; `–` for a share that does not exist. */
export function percent(share: number | null | undefined, digits = 2): string {
  return typeof share === "number" ? `${(share * 100).toFixed(digits)} %` : "–";
}

/** Formats `1319` as `1,319`. */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
