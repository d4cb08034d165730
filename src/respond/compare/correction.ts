import type { Estimate } from "./estimate.ts";

/** How a difference was corrected with the labels that people gave (PPI++ of the paired difference). */
export interface Correction {
  /** The score that people gave, as it was named. */
  readonly human: string;
  /** Shared rows with labels on both sides. */
  readonly n_labelled: number;
  /** The other shared rows, which the judge alone scored. */
  readonly n_unlabelled: number;
  /** Weight of the judge's differences, from 0 to 1; null where there is no estimate. */
  readonly lambda: number | null;
  /** Mean difference of the labels, on the labelled rows. */
  readonly human_difference: number | null;
  /** Mean difference of the judge's values on the same rows. */
  readonly judge_difference_labelled: number | null;
  /** Mean difference of the judge's values on the other rows. */
  readonly judge_difference_unlabelled: number | null;
}

/** A corrected difference: means in the unit of the labels, and the test of the difference. */
export interface CorrectedDifference {
  readonly correction: Correction;
  readonly baselineMean: number | null;
  readonly candidateMean: number | null;
  readonly estimate: Estimate;
}
