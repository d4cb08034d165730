import type { Adjustment } from "../../request/compare-request.ts";
import type { Comparison } from "../compare/comparison.ts";
import type { LeaderboardDimension, LeaderboardEntry } from "../leaderboard/leaderboard.ts";

/** One evaluation of a history; what it has in common with a leaderboard's means the same there. */
export interface HistoryEntry extends Pick<
  LeaderboardEntry,
  "evaluation_call_id" | "started_at" | "model" | "row_count" | "trial_count" | "error_count" | "scores"
> {
  /** What to call it among the entries: its name, and what tells it from the others. */
  readonly label: string;
  /** The first of the attributes `commit`, `git_commit`, `git.commit` and `revision`; null without. */
  readonly commit: string | null;
  /** The first of the attributes `branch`, `git_branch` and `git.branch`; null without. */
  readonly branch: string | null;
  /** The headline score compared with the entry before; null for the first, and without a headline. */
  readonly against_previous: Comparison | null;
  /** The same with the best entry; null for that one. */
  readonly against_best: Comparison | null;
}

/** Since when the latest entries are worse than the best. */
export interface WorseSince {
  /** The earliest of the unbroken series, ending with the latest, of entries behind the best that are shown worse than it. */
  readonly evaluation_call_id: string;
  /** The entry before it. */
  readonly last_good: string;
}

/** The answer of `history`. */
export interface HistoryAnswer {
  /** The display name of all entries. */
  readonly name: string;
  /** The dimensions of numbers and booleans that have a value in some entry. */
  readonly dimensions: readonly LeaderboardDimension[];
  /** Index of the headline score in `dimensions`; null without dimensions. */
  readonly headline: number | null;
  /** Confidence level of the intervals, and 1 − α of the verdicts. */
  readonly confidence: number;
  /** How the p values of all comparisons are adjusted. */
  readonly adjust: Adjustment;
  /** Comparisons with a p value, which `adjust` adjusts for. */
  readonly family_size: number;
  /** By start, then id: the latest last. */
  readonly entries: readonly HistoryEntry[];
  /** null unless the latest entry is shown worse than the best. */
  readonly worse_since: WorseSince | null;
  /** Remarks for the reader. */
  readonly warnings: readonly string[];
}

type Judged = Pick<HistoryEntry, "evaluation_call_id" | "against_best">;

/** Since when entries are worse than the best one, the `best`-th: the plain reading of their verdicts. */
export function worseSince(entries: readonly Judged[], best: number): WorseSince | null {
  const isWorse = (i: number) => i > best && entries[i]?.against_best?.verdict === "regressed";
  let first = entries.length;
  while (isWorse(first - 1)) first--;
  const [since, before] = [entries[first], entries[first - 1]];
  if (since === undefined || before === undefined) return null;
  return { evaluation_call_id: since.evaluation_call_id, last_good: before.evaluation_call_id };
}
