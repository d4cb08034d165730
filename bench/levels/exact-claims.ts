import { pairedRatesAbove } from "../../src/stats/tests/paired-rates.ts";

interface Edge {
  readonly n: number;
  /** The true loss. */
  readonly margin: number;
  /** The share of rows that the candidate gains all the same. */
  readonly gained: number;
}

/** With so little chance nothing matters. */
const NOTHING = 1e-9;

/**
 * The chance that a candidate that loses just the margin is called not worse, over all tables of `n` rows. By symmetry
 * it is that of one that gains it being called not better, and `equivalent` takes both.
 */
export function falseClaims({ n, margin, gained }: Edge): number {
  const lost = margin + gained;
  let share = 0;
  for (let c = 0; c <= n; c++) {
    const chanceOfLost = binomial(n, c, lost);
    if (chanceOfLost < NOTHING) continue;
    for (let b = 0; b <= n - c; b++) {
      const chance = chanceOfLost * binomial(n - c, b, gained / (1 - lost));
      if (chance < NOTHING) continue;
      if (pairedRatesAbove(b, c, n, -margin) <= 0.05) share += chance;
    }
  }
  return share;
}

const FACTORIALS = [0];

function logFactorial(n: number): number {
  for (let i = FACTORIALS.length; i <= n; i++) FACTORIALS.push((FACTORIALS[i - 1] ?? 0) + Math.log(i));
  return FACTORIALS[n] ?? 0;
}

function binomial(n: number, k: number, p: number): number {
  if (p === 0) return k === 0 ? 1 : 0;
  const ways = logFactorial(n) - logFactorial(k) - logFactorial(n - k);
  return Math.exp(ways + k * Math.log(p) + (n - k) * Math.log1p(-p));
}
