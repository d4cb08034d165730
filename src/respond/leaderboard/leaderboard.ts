import type { Direction } from "../../model/direction.ts";
import type { CountedTrials } from "../../model/counting.ts";
import type { PairAdjustment } from "../../request/compare-request.ts";
import type { TaskWeights } from "../../request/where.ts";
import type { Comparison } from "../compare/comparison.ts";
import type { Outcomes, ScorerStats } from "../summary/scorer-stats.ts";
import type { Uncertainty } from "../summary/statistics.ts";
import type { LeaderboardCost } from "../summary/usage.ts";
import type { SummarySlice, SummarySlicing } from "../summary/slicing.ts";
import type { Standing } from "../compare/ranks.ts";

/** A score dimension of a leaderboard. */
export interface LeaderboardDimension {
  /** The scorer. */
  readonly scorer_key: string;
  /** Members below the scorer, joined by dots; null where the score itself is the value. */
  readonly path: string | null;
  /** Numbers, or true and false. */
  readonly value_type: "continuous" | "binary";
  /** Whether numbers are rates: all values of all evaluations are 0 or 1, or true or false. */
  readonly rate?: true | undefined;
  /** Of what rows cost alone: money, in the currency of the prices. */
  readonly unit?: "money" | undefined;
  /** Whether `direction` is `lower`. */
  readonly lower_is_better: boolean;
  /**
   * Which way is good: as the request says, else the latest evaluation that says it; of true and false and of rates
   * higher, of costs lower; null where nobody says.
   */
  readonly direction: Direction;
}

/**
 * The values of one evaluation in one dimension, as in a summary with `include_uncertainty`. Every trial is scored,
 * missing, null or in error. With `weights` the error and the interval are over the rows of all tasks; null where a
 * task has one row alone.
 */
export interface LeaderboardScore
  extends
    Pick<
      Uncertainty,
      "row_mean" | "scored_row_count" | "standard_error" | "confidence_interval" | "interval_method"
    >,
    Pick<ScorerStats, "pass_rate" | "pass_true_count" | "pass_known_count" | "trial_count">,
    Pick<Outcomes, "missing_count" | "null_count" | "error_count">,
    CountedTrials {
  /** In the order of `slicing.values`; only with fields in `by`. */
  readonly slices?: readonly SummarySlice[] | undefined;
}

/** A task of a model whose tasks are pooled. */
export interface LeaderboardTask {
  /** The object that the root call names in `inputs.self`, or that whole text; null where it names none. */
  readonly name: string | null;
  /** The evaluation that stands for it: the latest of the model. */
  readonly evaluation_call_id: string;
  /** Rows with a trial. */
  readonly rows: number;
  /** Rows with a value in the headline score. */
  readonly scored_rows: number;
  /** The mean of these rows; null without one. */
  readonly mean: number | null;
}

/** One evaluation of a leaderboard, or a model over several. */
export interface LeaderboardEntry {
  /** Id of the root call; of several tasks, that of the latest evaluation. */
  readonly evaluation_call_id: string;
  /** Human-readable name; null where none was given. */
  readonly display_name: string | null;
  /** Reference to the model. */
  readonly model_ref: string | null;
  /** Name of the model: that of the object which `model_ref` refers to, else `model_ref` itself. */
  readonly model: string | null;
  /** ISO 8601 in UTC; null while the root call is not stored. */
  readonly started_at: string | null;
  /** Evaluations that the entry was chosen from: 1, or by `model` those of the model. */
  readonly evaluation_count: number;
  /** Tasks that are pooled; with `weights` alone. */
  readonly task_count?: number | undefined;
  /** These tasks, by name; with `weights` alone. */
  readonly tasks?: readonly LeaderboardTask[] | undefined;
  /** Rows with a trial; of several tasks, the sum of theirs. */
  readonly row_count: number;
  /** Trials. */
  readonly trial_count: number;
  /** Trials whose call or predict call ended in an exception, or whose call has no output. */
  readonly error_count: number;
  /** Scores in the order of the answer's `dimensions`. */
  readonly scores: readonly LeaderboardScore[];
  /**
   * `best`: the best mean of the headline score. `worse`: shown worse than another evaluation. `not_shown_worse`: not
   * shown worse than any, which is no proof that it is as good. Where nobody says which way is good, the highest stands
   * for the best, and `moved` is shown lower than another evaluation. null without a value in that score.
   */
  readonly standing: Standing | null;
  /**
   * The places that it may have among all in the headline score, 1 the best: 1 + the evaluations shown better, and all
   * less those shown worse. null where `standing` is.
   */
  readonly rank_interval: readonly [first: number, last: number] | null;
  /**
   * From 1; a tier begins where an evaluation is shown worse than the first one of the tier above. null where
   * `standing` is.
   */
  readonly tier: number | null;
  /**
   * The comparison with the best one in the headline score, adjusted for all pairs; null for the best one, and where it
   * was not compared.
   */
  readonly against_best: Comparison | null;
  /** Median latency over the trials that have one, in seconds, and their number. */
  readonly latency: { readonly p50_seconds: number | null; readonly trial_count: number };
  /** Tokens of the trials that tell them, and their number. */
  readonly tokens: { readonly total: number | null; readonly trial_count: number };
  /** null where costs were not asked for. */
  readonly cost: LeaderboardCost | null;
}

/** The answer of `leaderboard`. */
export interface LeaderboardAnswer {
  /** What an entry stands for. */
  readonly by: "evaluation" | "model";
  /** How the tasks of a model weigh, where they are pooled. */
  readonly weights?: TaskWeights | undefined;
  /** The dimensions of numbers and booleans that have a value in some evaluation; the headline score is among them. */
  readonly dimensions: readonly LeaderboardDimension[];
  /** Index of the headline score in `dimensions`; null without dimensions. */
  readonly headline: number | null;
  /** Confidence level of the intervals, and 1 − α of the standings. */
  readonly confidence: number;
  /** How the p values of all pairs of entries are adjusted. */
  readonly adjust: PairAdjustment;
  /**
   * Pairs with a p value, which `adjust` adjusts for; of more than 40 evaluations only those with the best are
   * compared.
   */
  readonly family_size: number;
  /** Rows that the filters keep. */
  readonly row_count: number;
  /** How these rows fall into slices; only with fields in `by`. */
  readonly slicing?: SummarySlicing | undefined;
  /** Entries in order. */
  readonly entries: readonly LeaderboardEntry[];
  /** Remarks for the reader: what was left out and why, costs that are not known. */
  readonly warnings: readonly string[];
  /** Sentences on what trials without a value count as; only with `count_errors_as` or `count_nulls_as`. */
  readonly notes?: readonly string[] | undefined;
}
