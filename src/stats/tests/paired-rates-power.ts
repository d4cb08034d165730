import { normalCdf, normalQuantile } from "../numeric/distributions.ts";

/**
 * From this expected number of rows that differ on, both ways of computing the power agree within 0.2 points at α =
 * 0.05.
 */
const EXACT_AT_MOST = 1000;

/**
 * The power of McNemar's mid-p test at the two-sided level `alpha` over `n` rows, of which each differs in favour of
 * one side with probability `fewer` and of the other with `more`, to find the latter. Exact, or for many rows that
 * differ the normal approximation Φ((√n (more − fewer) − z √ψ) / √(ψ − (more − fewer)²)) with ψ = fewer + more; Connor
 * 1987.
 */
export function pairedRatesPower(n: number, fewer: number, more: number, alpha: number): number {
  const differ = fewer + more;
  if (n * differ <= EXACT_AT_MOST) return exactPower(n, fewer, more, alpha);
  const difference = more - fewer;
  const reach = difference * Math.sqrt(n) + normalQuantile(alpha / 2) * Math.sqrt(differ);
  return normalCdf(reach / Math.sqrt(differ - difference * difference));
}

/**
 * Σ P(d rows differ) · P(X ≤ k_d), X ~ Binomial(d, fewer / (fewer + more)), where k_d is the largest count that the
 * test finds. From d − 1 to d, k grows by at most 1, so each probability follows from the one before.
 */
function exactPower(n: number, fewer: number, more: number, alpha: number): number {
  const differ = fewer + more;
  if (differ === 0) return 0;
  const even: Tail = { chance: 0.5, at: 0, upTo: 0 };
  const own: Tail = { chance: fewer / differ, at: 0, upTo: 0 };
  let k = -1;
  let power = 0;
  for (const [d, probability] of binomialProbabilities(n, differ).entries()) {
    for (const tail of [even, own]) addTrial(tail, d, k);
    if (2 * even.upTo + probabilityOfNext(even, d, k) <= alpha) {
      for (const tail of [even, own]) addCount(tail, d, k);
      k += 1;
    }
    power += probability * own.upTo;
  }
  return power;
}

/** P(X = k) and P(X ≤ k) of Binomial(d, chance), both 0 for k = −1. */
interface Tail {
  readonly chance: number;
  at: number;
  upTo: number;
}

/** The step from d − 1 trials to d. */
function addTrial(tail: Tail, d: number, k: number): void {
  tail.upTo -= tail.at * tail.chance;
  tail.at *= (d * (1 - tail.chance)) / (d - k);
}

/** The step from k to k + 1. */
function addCount(tail: Tail, d: number, k: number): void {
  tail.at = probabilityOfNext(tail, d, k);
  tail.upTo += tail.at;
}

function probabilityOfNext({ chance, at }: Tail, d: number, k: number): number {
  return k < 0 ? (1 - chance) ** d : (at * (d - k) * chance) / ((k + 1) * (1 - chance));
}

/**
 * The probabilities of 0, 1, … of Binomial(n, p), each from its neighbour nearer to the mode, up to where the rest is
 * nothing.
 */
function binomialProbabilities(n: number, p: number): Float64Array {
  const mode = Math.min(n, Math.floor((n + 1) * p));
  const last = Math.min(n, Math.ceil(n * p + 8 * Math.sqrt(n * p * (1 - p)) + 20));
  const shares = new Float64Array(last + 1).fill(1);
  for (let d = mode; d < last; d += 1)
    shares[d + 1] = (shares[d] ?? 0) * (((n - d) * p) / ((d + 1) * (1 - p)));
  for (let d = mode; d > 0; d -= 1) shares[d - 1] = (shares[d] ?? 0) * ((d * (1 - p)) / ((n - d + 1) * p));
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / total);
}
