/** The outcome of a comparison for a candidate; see `verdict`. */
export type Verdict = "improved" | "regressed" | "equivalent" | "inconclusive";

/**
 * Judges a comparison: "improved" or "regressed" where the p value of the difference (candidate − baseline, adjusted for the other
 * comparisons) is at most `alpha`, which is where the test's interval at that level leaves out 0; otherwise "equivalent" where the p
 * value of the equivalence test (`tost`; null without a margin) is; otherwise "inconclusive".
 */
export function verdict(
  { difference, p, equivalence }: Readonly<Record<"difference" | "p" | "equivalence", number | null>>,
  alpha: number,
  lowerIsBetter: boolean,
): Verdict {
  if (difference !== null && difference !== 0 && p !== null && p <= alpha)
    return difference > 0 === lowerIsBetter ? "regressed" : "improved";
  return equivalence !== null && equivalence <= alpha ? "equivalent" : "inconclusive";
}
