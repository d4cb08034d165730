import { cellsOfHistory, historyLine, type ShownHistory } from "../tables/history-table.ts";
import { escapeMarkdown, markdownTable } from "./markdown.ts";

/** Formats a history as Markdown: since when the runs are worse, one run a line, and the warnings. */
export function historyMarkdown(shown: ShownHistory): string {
  const { columns, rows } = cellsOfHistory(shown);
  const notes = shown.answer.warnings.map((note) => `- ${escapeMarkdown(note, LONGEST)}`).join("\n");
  const table = rows.length === 0 ? [] : [markdownTable(columns, rows)];
  return [
    `**${escapeMarkdown(historyLine(shown), LONGEST)}**`,
    ...table,
    ...(notes === "" ? [] : [notes]),
  ].join("\n\n");
}

/** Sentences of several names. */
const LONGEST = 2000;
