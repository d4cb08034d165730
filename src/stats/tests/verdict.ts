import { checkObject, checkProbability } from "../numeric/arguments.ts";

/** What a comparison says of a candidate; see `verdict`. */
export type Verdict = "improved" | "regressed" | "equivalent" | "inconclusive";

/**
 * What a comparison says: "improved" or "regressed" where the p value of the difference (after adjustment for the
 * other comparisons) is below α = 1 − `confidence`; else "equivalent" where that of the equivalence test is; else
 * "inconclusive". For a t test, p < α says that the interval of the difference at that level leaves 0 out. Higher
 * values are better unless `lowerIsBetter`.
 */
export function verdict(outcome: {
  /** Candidate − baseline. */
  readonly difference: number | null;
  readonly p_value: number | null;
  /** Of two one-sided tests, see `tost`; null without a margin. */
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
  if (difference !== null && difference !== 0 && p_value !== null && p_value < alpha) {
    return difference > 0 === lowerIsBetter ? "regressed" : "improved";
  }
  return equivalence_p_value !== null && equivalence_p_value < alpha ? "equivalent" : "inconclusive";
}
