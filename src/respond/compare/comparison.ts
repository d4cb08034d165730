import type { CountedTrials } from "../../model/counting.ts";
import type { Direction } from "../../model/direction.ts";
import type { PairAdjustment } from "../../request/compare-request.ts";
import type { Interval } from "../../stats/estimates/mean.ts";
import type { Verdict } from "../../stats/tests/verdict.ts";
import type { Changes } from "./changes.ts";
import type { CorrectedDifference, Correction } from "./correction.ts";
import type { PairSums } from "./pair-sums.ts";
import type { Rank } from "./ranks.ts";
import type { ComparedRows, ComparedSlicing, Sliced, Told, WithinMargin } from "./slices.ts";

/**
 * Compares one score dimension of one candidate with the baseline, over the rows on which both have a value; a row's
 * value is the mean of its trials. A quantity that does not exist is null.
 */
export interface Comparison extends ComparedRows, Told<Sliced>, Told<WithinMargin>, CountedTrials {
  /** Id of the baseline. */
  readonly baseline: string;
  /** Id of the candidate. */
  readonly candidate: string;
  /** The scorer. */
  readonly scorer_key: string;
  /** Members below the scorer, joined by dots; null where the score itself is the value. */
  readonly path: string | null;
  /** `binary` where the values of both are true and false, otherwise `continuous`. */
  readonly value_type: "continuous" | "binary";
  /** Whether numbers are a rate: all values of both are 0 or 1, and everything is as of true and false. */
  readonly rate?: true | undefined;
  /** Of what rows cost alone, of which less is better: money, in the currency of the prices. */
  readonly unit?: "money" | undefined;
  /**
   * Which way is good: as the request says, else the candidate, else the baseline; of true and false and of rates
   * higher, of costs lower; null where nobody says.
   */
  readonly direction: Direction;
  /** Tasks with such rows; by `model` alone, where the counts of rows are those of the tasks that both models have. */
  readonly task_count?: number | undefined;
  /** Rows on which only the baseline has a trial. */
  readonly n_only_baseline: number;
  /** Rows on which only the candidate has a trial. */
  readonly n_only_candidate: number;
  /**
   * Rows on which both have trials, and of which the key is the same and the content is not; whether or not they are
   * left out.
   */
  readonly n_edited: number;
  /** Rows on which both have trials but only the candidate has a value. */
  readonly n_missing_baseline: number;
  /** Rows on which both have trials but only the baseline has a value. */
  readonly n_missing_candidate: number;
  /**
   * The interval adjusted for the other comparisons: all of an answer hold together with its confidence. Where the
   * verdict (Holm) is sharper, the end next to 0 lies on the side of 0 that the verdict is on. It leaves out 0 exactly
   * where `p_value_adjusted` is at most 1 − confidence.
   */
  readonly adjusted_confidence_interval: Interval | null;
  /** Where the answer has several pairs: what one about this pair alone says. `verdict` may say less, never more. */
  readonly alone?: { readonly p_value_adjusted: number | null; readonly verdict: Verdict } | undefined;
  /** Adjusted p value of two one-sided tests that the difference lies within ±`margin`; null without `margin`. */
  readonly equivalence_p_value_adjusted: number | null;
  /** Why there is no verdict: no value, one row, too few clusters; null where there was a test. */
  readonly reason: string | null;
  /**
   * The smallest |difference| that would have been found four times in five, by this test among so many comparisons;
   * null unless the verdict is inconclusive, and where so few rows could show none.
   */
  readonly minimum_detectable_effect: number | null;
  /**
   * Rows that would find a difference as small as this one four times in five; null where the effect is, and for a
   * difference of 0.
   */
  readonly rows_to_detect: number | null;
  /**
   * How labels of people corrected the difference; null without `corrected_by`. The rows below are those of the judge.
   */
  readonly correction: Correction | null;
}

/** Where one evaluation may stand among all in one score. */
export interface ScoreRank extends Rank {
  /** Id of the evaluation. */
  readonly evaluation_call_id: string;
  /** The scorer. */
  readonly scorer_key: string;
  /** Members below the scorer, joined by dots; null where the score itself is the value. */
  readonly path: string | null;
}

/** The answer of `compareEvaluations`. */
export interface ComparisonAnswer {
  /** Confidence level of the intervals, and 1 − α of the verdicts. */
  readonly confidence: number;
  /** How p values are adjusted for multiple comparisons; `ranges` where the baseline was chosen for its mean. */
  readonly adjust: PairAdjustment;
  /** Number of comparisons with a p value, which `adjust` adjusts for. */
  readonly family_size: number;
  /** One comparison per candidate and dimension. */
  readonly comparisons: readonly Comparison[];
  /** What changed beside the scores, one a pair of a baseline and a candidate. */
  readonly changes: readonly Changes[];
  /** How the common rows fall into slices; only where the request names fields in `by`. */
  readonly slicing?: ComparedSlicing | undefined;
  /**
   * Where evaluations may stand in each score; null unless the baseline was chosen for its mean (`baseline_is_best`).
   */
  readonly ranks: readonly ScoreRank[] | null;
  /** Sentences on how the two sides are unlike, and remarks on the request for the reader. */
  readonly warnings: readonly string[];
  /**
   * Sentences on what trials without a value count as, with `count_errors_as` or `count_nulls_as`, and why slices are
   * not judged; absent without any.
   */
  readonly notes?: readonly string[] | undefined;
}

/** Input of one comparison, before p values are adjusted across comparisons. */
export interface ComparisonInput {
  readonly baseline: string;
  readonly candidate: string;
  readonly path: readonly string[];
  /** What is said of it; of true and false and of rates that need not be said. */
  readonly direction: Direction;
  /** Whether the values of both sides are booleans. */
  readonly binary: boolean;
  /** Whether they are so but for numbers, all 0 or 1. */
  readonly rate?: boolean;
  /** Why nothing is compared; null where both sides have values. */
  readonly reason: string | null;
  readonly rows: Pick<
    Comparison,
    "n_only_baseline" | "n_only_candidate" | "n_missing_baseline" | "n_missing_candidate" | "n_edited"
  >;
  /** null without common rows. */
  readonly sums: PairSums | null;
  readonly counted?: CountedTrials;
  /** Whether the sums are of several tasks. */
  readonly pooled?: boolean;
  readonly unit?: "money";
  /** Replaces the difference, its test and the means, see `corrected_by`. */
  readonly corrected?: CorrectedDifference;
}
