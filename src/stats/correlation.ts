import { checkFinite, checkSameLength } from "./arguments.ts";
import { sampleCovariance } from "./mean.ts";
import { midRanks } from "./ranks.ts";

/** Pearson's r of paired values; null for n < 2 or where one side is constant, as in all three here. */
export function pearson(x: readonly number[], y: readonly number[]): number | null {
  checkPairs(x, y);
  if (x.length < 2) return null;
  const scale = Math.sqrt(sampleCovariance(x, x)) * Math.sqrt(sampleCovariance(y, y));
  return scale === 0 ? null : Math.min(1, Math.max(-1, sampleCovariance(x, y) / scale));
}

/** Spearman's ρ: Pearson's r of the mid-ranks. */
export function spearman(x: readonly number[], y: readonly number[]): number | null {
  checkPairs(x, y);
  return pearson(midRanks(x), midRanks(y));
}

/**
 * Kendall's τ-b, corrected for ties: (concordant − discordant)/√(pairs untied in x · pairs untied in y).
 * O(n²).
 */
export function kendallTauB(x: readonly number[], y: readonly number[]): number | null {
  checkPairs(x, y);
  let score = 0;
  let untiedX = 0;
  let untiedY = 0;
  for (const [i, xi] of x.entries()) {
    for (let j = 0; j < i; j += 1) {
      const dx = Math.sign(xi - (x[j] ?? xi));
      const dy = Math.sign((y[i] ?? 0) - (y[j] ?? 0));
      score += dx * dy;
      untiedX += Math.abs(dx);
      untiedY += Math.abs(dy);
    }
  }
  const scale = Math.sqrt(untiedX) * Math.sqrt(untiedY);
  return scale === 0 ? null : score / scale;
}

function checkPairs(x: readonly number[], y: readonly number[]): void {
  checkSameLength("x and y", x, y);
  checkFinite("x", x);
  checkFinite("y", y);
}
