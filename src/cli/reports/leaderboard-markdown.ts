import { leaderboardCells, leaderboardNotes, type ShownLeaderboard } from "../tables/leaderboard-cells.ts";
import { markdownTable, escapeMarkdown } from "./markdown.ts";

/** Formats a leaderboard as Markdown, with its warnings. */
export function leaderboardMarkdown(shown: ShownLeaderboard): string {
  const { columns, rows } = leaderboardCells(shown);
  const notes = [...leaderboardNotes(shown), ...shown.answer.warnings];
  return [
    ...(rows.length === 0 ? [] : [markdownTable(columns, rows)]),
    notes.map((note) => `- ${escapeMarkdown(note)}`).join("\n"),
  ].join("\n\n");
}
