/** The outcome of a comparison for a candidate; see `verdict`. */
export type Verdict = "improved" | "regressed" | "moved" | "equivalent" | "inconclusive";

/** Whether a difference is shown. */
export function isShown(found: Verdict | undefined): boolean {
  return found === "improved" || found === "regressed" || found === "moved";
}

/**
 * Judges a comparison: "improved" or "regressed" where the p value of the difference (candidate − baseline, adjusted
 * for the other comparisons) is at most `alpha`, which is where the test's interval at that level leaves out 0;
 * otherwise "equivalent" where the p value of the equivalence test (`tost`; null without a margin) is; otherwise
 * "inconclusive". Where nobody says which way is good (`lowerIsBetter` null), "moved" instead of "improved" and
 * "regressed".
 */
export function verdict(
  { difference, p, equivalence }: Readonly<Record<"difference" | "p" | "equivalence", number | null>>,
  alpha: number,
  lowerIsBetter: boolean | null,
): Verdict {
  if (difference !== null && difference !== 0 && p !== null && p <= alpha)
    return lowerIsBetter === null ? "moved" : difference > 0 === lowerIsBetter ? "regressed" : "improved";
  return equivalence !== null && equivalence <= alpha ? "equivalent" : "inconclusive";
}
