import type { Adjustment } from "../../request/compare-request.ts";
import { average, type Interval, mean, tInterval } from "../../stats/estimates/mean.ts";
import { type ChainNoise, lossSpan, type RunValues } from "../../stats/tests/loss-span.ts";
import type { Changes } from "../compare/changes.ts";
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
  /** Whose key stored it, or who said so before; null where nobody is known. */
  readonly user: string | null;
  /** What the root call names as its dataset, else what its rows name, as `name:version`; null without any. */
  readonly dataset: string | null;
  /** As in `listEvaluations`: the same for the same rows. */
  readonly rows_digest: string | null;
  /** Place among all runs of the name with a value in the headline score, from 1; null without one. */
  readonly position: number | null;
  /**
   * This entry and the one before, as `compareEvaluations` compares the pair alone, in the headline score; null where a
   * side has no value.
   */
  readonly against_previous: Comparison | null;
  /**
   * Id of the run that this one is compared with to see a lasting loss; null for the first, and where the series starts
   * anew.
   */
  readonly reference: string | null;
  /** This entry and its reference, compared likewise; null without one. */
  readonly against_reference: Comparison | null;
  /** Since when runs are worse, as of this entry. */
  readonly worse_since: WorseSince | null;
  /** What changed beside the scores since the run before; null for the first. */
  readonly changes: Changes | null;
}

/** A loss that lasts: two runs or more in a row, up to this one, are shown worse than their reference. */
export interface WorseSince {
  /** The end of the span: the change lies after `last_good`, and not after this run. */
  readonly evaluation_call_id: string;
  /** The last run before the span. */
  readonly last_good: string;
  /** Id of the reference. */
  readonly reference: string;
  /**
   * Mean of the means of the runs from the reference to `last_good`, on the rows that all runs since the reference
   * have; null with less than two.
   */
  readonly before_mean: number | null;
  /** The same of the runs from `evaluation_call_id` to this one. */
  readonly after_mean: number | null;
  /** Interval of `after_mean` − `before_mean`, paired by rows; null where all rows moved alike. */
  readonly confidence_interval: Interval | null;
}

/** A run that entries name, and that `limit` leaves out. */
export type CutRun = Pick<HistoryEntry, "evaluation_call_id" | "label" | "commit" | "position">;

/** The answer of `history`. */
export interface HistoryAnswer {
  /** The display name of all entries. */
  readonly name: string;
  /** The dimensions of numbers and booleans that have a value in some entry. */
  readonly dimensions: readonly LeaderboardDimension[];
  /**
   * Index of the headline score in `dimensions`: `score`, else the first of `scorers`, else the first that has a good
   * side and a value in the latest entry. null without dimensions.
   */
  readonly headline: number | null;
  /** Confidence level of the intervals, and 1 − α of the verdicts. */
  readonly confidence: number;
  /** How the p values of the scores of a pair are adjusted for each other. */
  readonly adjust: Adjustment;
  /** By start, then id: the latest last. */
  readonly entries: readonly HistoryEntry[];
  /** Runs that entries name, and that `limit` leaves out. */
  readonly cut: readonly CutRun[];
  /** That of the latest entry. */
  readonly worse_since: WorseSince | null;
  /** Remarks for the reader. */
  readonly warnings: readonly string[];
}

/** The runs of a loss that lasts, from the reference on; with a value of each on the rows that all have. */
interface LossOfRuns {
  readonly ids: readonly string[];
  readonly values: RunValues;
  /** Index of the first of the runs in a row that are shown worse. */
  readonly first: number;
}

/**
 * Between which runs a loss lies, and how large it is. Where too few rows tell, it is anywhere up to the first run that
 * is shown worse.
 */
export function worseSince(
  { ids, values, first }: LossOfRuns,
  { lower, confidence }: { readonly lower: boolean; readonly confidence: number },
  noise: ChainNoise,
): WorseSince {
  const isTold = (values[0]?.length ?? 0) > 1;
  const span = isTold ? lossSpan(values, lower ? -1 : 1, noise) : { first: 1, last: first };
  const ends = {
    evaluation_call_id: ids[span.last] ?? "",
    last_good: ids[span.first - 1] ?? "",
    reference: ids[0] ?? "",
  };
  if (!isTold) return { ...ends, before_mean: null, after_mean: null, confidence_interval: null };
  const [before, after] = [rowMeans(values.slice(0, span.first)), rowMeans(values.slice(span.last))];
  return {
    ...ends,
    before_mean: mean(before),
    after_mean: mean(after),
    confidence_interval: tInterval(
      after.map((value, row) => value - (before[row] ?? 0)),
      confidence,
    ),
  };
}

function rowMeans(runs: RunValues): number[] {
  const [first = new Float64Array()] = runs;
  return Array.from(first, (_, row) => average(runs.map((values) => values[row] ?? 0)));
}
