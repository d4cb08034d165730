import type { Interval } from "../../stats/estimates/mean.ts";
import type { Verdict } from "../../stats/tests/verdict.ts";
import type { SliceValue } from "../summary/slicing.ts";
import type { ComparisonMethod } from "./estimate.ts";

/**
 * Some rows of two evaluations, compared: all common rows, or those of a slice. A quantity that does not exist is null.
 */
export interface ComparedRows {
  /** Rows with a value in both evaluations; only these are compared. */
  readonly n_common: number;
  /** Mean of the baseline's row values on these rows. */
  readonly baseline_mean: number | null;
  /** Mean of the candidate's row values on these rows. */
  readonly candidate_mean: number | null;
  /** The mean of candidate - baseline over these rows. */
  readonly difference: number | null;
  /** Standard error of the difference over rows, or over clusters with `cluster_by`. */
  readonly standard_error: number | null;
  /**
   * The interval of the difference that belongs to the test, at the confidence of the answer and for this comparison
   * alone: it leaves out 0 exactly where `p_value` is at most 1 − confidence. null where the test has none.
   */
  readonly confidence_interval: Interval | null;
  /** The test behind the p value. */
  readonly method: ComparisonMethod | null;
  /** Two-sided p value. */
  readonly p_value: number | null;
  /** p value adjusted for the `family_size` comparisons of the answer; that of a slice for all slices of the answer. */
  readonly p_value_adjusted: number | null;
  /** The outcome of the comparison, by `p_value_adjusted`. */
  readonly verdict: Verdict;
  /** Rows on which the candidate is better, in the direction of the dimension; higher where nobody says it. */
  readonly rows_improved: number;
  /** Rows on which the candidate is worse, or lower. */
  readonly rows_regressed: number;
  /** Rows on which both are equal. */
  readonly rows_tied: number;
}

/**
 * One slice of a comparison: what the same comparison answers of the rows with this value alone, but adjusted for the
 * other slices of the answer, which are a family of their own.
 */
export interface Slice extends ComparedRows {
  /** One entry a field. */
  readonly value: readonly SliceValue[];
  /**
   * What the slice adds to the whole difference, in its unit: rows × difference of the slice / rows of the comparison.
   * null without rows.
   */
  readonly contribution: number | null;
}

/** The slice that most of a difference comes from. */
export interface ExplainedBy {
  /** One entry a field. */
  readonly value: readonly SliceValue[];
  /** What it adds to the whole difference, in its unit. */
  readonly contribution: number;
  /** That as a share of the whole difference: more than 0.5. */
  readonly share: number;
  /** Its common rows. */
  readonly n_common: number;
  /** Its mean difference. */
  readonly difference: number;
  /** All other common rows. */
  readonly rest_n_common: number;
  /** Their mean difference. */
  readonly rest_difference: number;
  /** Two-sided p value of the slice against all other rows, adjusted (Holm) over the slices of the comparison. */
  readonly p_value_adjusted: number;
}

/** What a comparison says of slices; only where the request names fields in `by`. */
export interface Sliced {
  /** Common rows that are in no slice, since they have no value of a field. */
  readonly n_without_field: number;
  /** The judged slices by contribution in the direction of the difference, largest first, then by value. */
  readonly slices: readonly Slice[];
  /** The slice that more than half of a shown difference comes from; null where none stands out. */
  readonly explained_by: ExplainedBy | null;
}
