import { clopperPearson } from "../estimates/rates.ts";
import { binomialCdf, normalQuantile } from "../numeric/distributions.ts";
import { bisect, incompleteBeta } from "../numeric/special-functions.ts";

/** How often a judge finds the label of one class, and what that shows. */
export interface CertifiedRate {
  /** Share of the labels of the class that the judge finds; null without labels. */
  readonly estimate: number | null;
  /** Lower end of Clopper and Pearson's interval; null without labels. */
  readonly lower: number | null;
  /** Trials with a label of the class and a verdict of the judge. */
  readonly n: number;
  /**
   * The least number of labels of the class, in all, with which a judge of this very rate is certified four times in
   * five; 0 where it is, null where the rate is not above what is asked.
   */
  readonly needed: number | null;
}

const POWER = 0.8;

/** What `found` of `n` labels show of a judge that is to find at least the share `atLeast` of them. */
export function certifiedRate(found: number, n: number, atLeast: number, confidence: number): CertifiedRate {
  const [lower] = clopperPearson(found, n, confidence) ?? [];
  if (lower === undefined) return { estimate: null, lower: null, n, needed: null };
  const estimate = found / n;
  const isReached = lower >= atLeast;
  const needed = isReached ? 0 : estimate <= atLeast ? null : labelsNeeded(estimate, atLeast, confidence);
  return { estimate, lower, n, needed };
}

/** From here on a count is that of the normal approximation, which is within 0.1 % of the exact one. */
const EXACT_UP_TO = 1e6;

/**
 * The least n of which P(X ≥ x) ≥ 0.8 for X ~ Binomial(n, rate), where x is the least count whose lower limit is
 * `atLeast` or more: P(Y ≥ x) ≤ (1 − confidence) / 2 for Y ~ Binomial(n, atLeast).
 *
 * The power rises with n while x stays, and falls where x rises. So for each x the last such n counts; at the n, a
 * fraction, where x just stays the power rises with x, which is bisected, and whole numbers are tried from there on.
 */
function labelsNeeded(rate: number, atLeast: number, confidence: number): number {
  const tail = (1 - confidence) / 2;
  const reach = -normalQuantile(tail) * spread(atLeast) + normalQuantile(POWER) * spread(rate);
  const roughly = Math.ceil((reach / (rate - atLeast)) ** 2);
  if (roughly > EXACT_UP_TO) return roughly;
  const lastFor = (x: number) =>
    bisect((n) => incompleteBeta(atLeast, x, n - x + 1) > tail, x - 1, (10 * x) / atLeast, 60);
  const powerOf = (x: number, n: number) => 1 - binomialCdf(x - 1, n, rate);
  const fractional = (x: number) => {
    const n = lastFor(x);
    return n >= x && incompleteBeta(rate, x, n - x + 1, 1 - rate) >= POWER;
  };
  let most = 1;
  while (!fractional(most)) most *= 2;
  let x = most === 1 ? 1 : Math.ceil(bisect(fractional, most / 2, most, 40));
  for (; ; x += 1) {
    const last = lastCount(x, atLeast, tail, lastFor(x));
    if (last < x || powerOf(x, last) < POWER) continue;
    let n = last;
    while (n > x && powerOf(x, n - 1) >= POWER) n -= 1;
    return n;
  }
}

function spread(p: number): number {
  return Math.sqrt(p * (1 - p));
}

/** The largest whole n with P(Y ≥ x) ≤ tail for Y ~ Binomial(n, atLeast), near a fraction. */
function lastCount(x: number, atLeast: number, tail: number, near: number): number {
  const holds = (n: number) => 1 - binomialCdf(x - 1, n, atLeast) <= tail;
  let n = Math.floor(near) + 1;
  while (n >= x && !holds(n)) n -= 1;
  return n;
}
