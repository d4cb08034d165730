import { bestFirst, meanOf, valuesIn } from "./scores.ts";
import type { Shown, ShownEvaluation } from "./shown.ts";

/** What sorts the leaderboard beside names, by column. */
const FIGURES = {
  mean: ({ stats }: ShownEvaluation) => meanOf(stats),
  rows: ({ stats }: ShownEvaluation) => stats?.scored_row_count ?? null,
  "no-value": withoutValue,
};

/** A column that sorts the leaderboard. */
export type SortColumn = "evaluation" | keyof typeof FIGURES;

/** How the leaderboard is sorted. */
export interface Sorting {
  readonly column: SortColumn;
  readonly direction: "ascending" | "descending";
}

/** The best mean first. */
export function firstSorting({ score }: Shown): Sorting {
  return { column: "mean", direction: score.lower_is_better ? "ascending" : "descending" };
}

/** The sorting after a press on the head of a column: the other way round, or the usual way of a new column. */
export function pressed(column: SortColumn, now: Sorting, first: Sorting): Sorting {
  if (now.column === column)
    return { column, direction: now.direction === "ascending" ? "descending" : "ascending" };
  if (column === "mean") return first;
  return { column, direction: column === "evaluation" ? "ascending" : "descending" };
}

/** The evaluations in this order, those without the figure last, equal ones in the order of the page. */
export function sorted(
  evaluations: readonly ShownEvaluation[],
  { column, direction }: Sorting,
): ShownEvaluation[] {
  const isAscending = direction === "ascending";
  if (column !== "evaluation")
    return bestFirst(evaluations, FIGURES[column], { lower_is_better: isAscending });
  const sign = isAscending ? 1 : -1;
  return evaluations.toSorted((a, b) => sign * a.name.text.localeCompare(b.name.text, "en"));
}

/** Trials of an evaluation that have no value in the score: all of them where it has no such score; null where it is not known. */
export function withoutValue({ stats, summary }: ShownEvaluation): number | null {
  if (stats === undefined) return summary?.trial_count ?? null;
  return stats.expected_trial_count === undefined ? null : stats.expected_trial_count - valuesIn(stats);
}
