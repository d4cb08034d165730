import { leaderboardCells, leaderboardNotes, type ShownLeaderboard } from "./leaderboard-cells.ts";
import { screenTable, type TableView } from "./screen-table.ts";

/** Formats a leaderboard, then what its columns mean. */
export function leaderboardTable(shown: ShownLeaderboard, view: TableView): string {
  const { columns, rows } = leaderboardCells(shown);
  return [
    ...(rows.length === 0 ? [] : [screenTable(columns, rows, view)]),
    leaderboardNotes(shown).join("\n"),
  ].join("\n\n");
}
