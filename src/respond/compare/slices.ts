import type { Interval } from "../../stats/estimates/mean.ts";
import type { Verdict } from "../../stats/tests/verdict.ts";
import type { SliceValue, Slicing } from "../summary/slicing.ts";
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
 * What a comparison says of the margin; only where the request has one. Claims are tested by the method that tests the
 * difference, those of pairs of rates by Tango's score with half a row more against them.
 */
export interface WithinMargin {
  /** p value of the claim that the difference lies within ±`margin`. */
  readonly equivalence_p_value: number | null;
  /**
   * The differences that neither one-sided test rejects at the level of the comparison, which is α / `family_size`, and
   * α with `adjust: "none"`; null without a test.
   */
  readonly equivalence_interval: Interval | null;
  /**
   * Whether the candidate is shown to be worse by less than `margin`, or not at all; null without a test, and where
   * nobody says which way is good.
   */
  readonly not_worse: boolean | null;
  /** p value of that claim. */
  readonly not_worse_p_value: number | null;
  /** The same, adjusted for those of the other comparisons of the answer. */
  readonly not_worse_p_value_adjusted: number | null;
  /** How much worse the candidate may be at the level of the comparison, in the unit of the score: 0 or more. */
  readonly worst_loss: number | null;
}

/** The same members where there are any. */
export type Told<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/**
 * One slice of a comparison: what the same comparison answers of the rows with this value alone, but adjusted for the
 * other slices of the answer, which are a family of their own.
 */
export interface Slice extends ComparedRows, Told<Pick<WithinMargin, "equivalence_interval">> {
  /** One entry a field. */
  readonly value: readonly SliceValue[];
  /**
   * What the slice adds to the whole difference, in its unit: rows × difference of the slice / rows of the comparison.
   * null without rows.
   */
  readonly contribution: number | null;
  /** The least and the largest value of its rows in the run that made it; only of slices by what rows took. */
  readonly range?: readonly [least: number, most: number] | undefined;
  /** Why it is not judged: an evaluation that is compared made the slices. */
  readonly reason?: string | undefined;
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

/** How common rows fall into slices. */
export interface ComparedSlicing extends Slicing {
  /**
   * Slices with a p value, of all comparisons of the answer and of all fields that were tried: what `adjust` adjusts
   * for.
   */
  readonly family_size: number;
  /** Id of the evaluation whose trials made the slices; only of slices by what rows took, like the next two. */
  readonly of?: string | undefined;
  /** How many slices were asked for. */
  readonly bins?: number | undefined;
  /** Whether slices are judged: false where `of` is one of two that are compared. */
  readonly judged?: boolean | undefined;
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
