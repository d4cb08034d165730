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
  /** Means of both sides on them, and the mean of candidate - baseline; null without such a row. */
  readonly baseline_mean: number | null;
  readonly candidate_mean: number | null;
  readonly difference: number | null;
  readonly standard_error: number | null;
  /** The interval of the difference that belongs to the test, for this slice alone. */
  readonly confidence_interval: Interval | null;
  readonly method: ComparisonMethod | null;
  /** Two-sided p value, alone and adjusted over all slices of the answer. */
  readonly p_value: number | null;
  readonly p_value_adjusted: number | null;
  readonly verdict: Verdict;
  readonly rows_improved: number;
  readonly rows_regressed: number;
  readonly rows_tied: number;
  /** What the slice adds to the whole difference, in its unit: rows × difference of the slice / rows of the comparison. null without rows. */
  readonly contribution: number | null;
}

/** The slice that most of a difference comes from. */
export interface ExplainedBy {
  /** One entry a field. */
  readonly value: readonly SliceValue[];
  /** What it adds to the whole difference, in its unit and as a share of it, which is more than 0.5. */
  readonly contribution: number;
  readonly share: number;
  /** Its rows and mean difference, and those of all other common rows. */
  readonly n_common: number;
  readonly difference: number;
  readonly rest_n_common: number;
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
