import type { PrintedColumn } from "../../text/text-table.ts";

/** Longest text of a cell or sentence part that comes from data. */
const LONGEST = 200;

/** Characters that mean something to some reader of Markdown or HTML, or to a tracker: mentions, issues, formulas. */
const SPECIAL = /[\\|`*_[\]<>~&$]|[@#!](?=\S)|:(?=\/\/)|(?<=www)\./gi;
/** After these a reader looks for a name in the finished page, so an invisible space keeps the name apart. */
const REFERS = new Set(["@", "#", "!"]);

/** Escapes a text so that every reader of Markdown shows it as it is, on one line. */
export function escapeMarkdown(text: string, longest = LONGEST): string {
  const points = Array.from(visible(text));
  const short = points.length <= longest ? points : [...points.slice(0, longest - 1), "…"];
  return short
    .join("")
    .replaceAll(SPECIAL, (one) => `&#${one.codePointAt(0)};${REFERS.has(one) ? "&#8203;" : ""}`);
}

/** Shows controls and marks of direction by their code points; ends of lines become spaces. */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, " ")
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, (one) => `U+${hexadecimal(one)}`);
}

function hexadecimal(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}

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
