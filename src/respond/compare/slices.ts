import type { Interval } from "../../stats/estimates/mean.ts";
import type { Verdict } from "../../stats/tests/verdict.ts";
import type { SliceValue } from "../summary/slicing.ts";
import type { ComparisonMethod } from "./estimate.ts";

/**
 * One slice of a comparison: what the same comparison answers of the rows with this value alone, but adjusted for the other slices of
 * the answer, which are a family of their own.
 */
export interface Slice {
  /** One entry a field. */
  readonly value: readonly SliceValue[];
  /** Common rows of the comparison with this value. */
  readonly n_common: number;
  /** Mean of the baseline on them; null without such a row. */
  readonly baseline_mean: number | null;
  /** Mean of the candidate on them; null without such a row. */
  readonly candidate_mean: number | null;
  /** Mean of candidate - baseline; null without such a row. */
  readonly difference: number | null;
  /** Standard error of `difference`; null where it has none. */
  readonly standard_error: number | null;
  /** The interval of the difference that belongs to the test, for this slice alone. */
  readonly confidence_interval: Interval | null;
  /** How the p value and the interval were computed. */
  readonly method: ComparisonMethod | null;
  /** Two-sided p value of this slice alone. */
  readonly p_value: number | null;
  /** The same, adjusted over all slices of the answer. */
  readonly p_value_adjusted: number | null;
  /** By `p_value_adjusted`. */
  readonly verdict: Verdict;
  /** Rows on which the candidate is better. */
  readonly rows_improved: number;
  /** Rows on which it is worse. */
  readonly rows_regressed: number;
  /** Rows on which both are equal. */
  readonly rows_tied: number;
  /** What the slice adds to the whole difference, in its unit: rows × difference of the slice / rows of the comparison. null without rows. */
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
