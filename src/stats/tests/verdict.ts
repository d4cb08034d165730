import { checkObject, checkProbability } from "../numeric/arguments.ts";

/** The outcome of a comparison for a candidate; see `verdict`. */
export type Verdict = "improved" | "regressed" | "equivalent" | "inconclusive";

/**
 * Judges a comparison: "improved" or "regressed" where the p value of the difference (adjusted for the other
 * comparisons) is at most α = 1 − `confidence`; otherwise "equivalent" where the p value of the equivalence test is
 * at most α; otherwise "inconclusive". p ≤ α where the test's interval at that level leaves out 0. Higher values are better unless `lowerIsBetter`.
 */
export function verdict(outcome: {
  /** Candidate − baseline. */
  readonly difference: number | null;
  readonly p_value: number | null;
  /** p value of two one-sided tests, see `tost`; null without a margin. */
  readonly equivalence_p_value?: number | null;
  readonly confidence?: number;
  readonly lowerIsBetter?: boolean;
}): Verdict {
  checkObject("the outcome", outcome);
  const {
    difference,
    p_value,
    equivalence_p_value = null,
    confidence = 0.95,
    lowerIsBetter = false,
  } = outcome;
  checkProbability("confidence", confidence, true);
  const alpha = 1 - confidence;
  if (difference !== null && difference !== 0 && p_value !== null && p_value <= alpha) {
    return difference > 0 === lowerIsBetter ? "regressed" : "improved";
  }
  return equivalence_p_value !== null && equivalence_p_value <= alpha ? "equivalent" : "inconclusive";
}
