import { meanOf, valuesIn } from "./scores.ts";
import type { Shown, ShownEvaluation } from "./shown.ts";

/** A column that sorts the leaderboard. */
export type SortColumn = "evaluation" | "mean" | "rows" | "no-value";

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
  const sign = direction === "ascending" ? 1 : -1;
  if (column === "evaluation")
    return evaluations.toSorted((a, b) => sign * a.name.text.localeCompare(b.name.text, "en"));
  const values = new Map(evaluations.map((one) => [one, figureOf(one, column)]));
  return evaluations.toSorted((a, b) => {
    const [x, y] = [values.get(a) ?? null, values.get(b) ?? null];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return sign * (x - y);
  });
}

function figureOf(one: ShownEvaluation, column: Exclude<SortColumn, "evaluation">): number | null {
  const { stats } = one;
  switch (column) {
    case "mean":
      return meanOf(stats);
    case "rows":
      return stats?.scored_row_count ?? null;
    case "no-value":
      return withoutValue(one);
  }
}

/** Trials of an evaluation that have no value in the score: all of them where it has no such score; null where it is not known. */
export function withoutValue({ stats, summary }: ShownEvaluation): number | null {
  if (stats === undefined) return summary?.trial_count ?? null;
  return stats.expected_trial_count === undefined ? null : stats.expected_trial_count - valuesIn(stats);
}
