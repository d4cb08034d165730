import type { PrintedColumn } from "../../demo/text-table.ts";
import { escapeMarkdown } from "./markdown.ts";

/** A Markdown table; no text in it can end a cell, make a link or become HTML. */
export function markdownTable(
  columns: readonly PrintedColumn[],
  rows: readonly (readonly string[])[],
): string {
  return [
    line(columns.map(({ head }) => head)),
    `| ${columns.map(({ align }) => (align === "right" ? "---:" : "---")).join(" | ")} |`,
    ...rows.map(line),
  ].join("\n");
}

function line(cells: readonly string[]): string {
  return `| ${cells.map((cell) => escapeMarkdown(cell)).join(" | ")} |`;
}
