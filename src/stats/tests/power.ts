import { check, checkAmount, checkNumber, checkObject, checkProbability } from "../numeric/arguments.ts";
import { normalQuantile, studentTQuantile } from "../numeric/distributions.ts";
import { bisect } from "../numeric/special-functions.ts";
import { pairedRatesPower } from "./paired-rates-power.ts";

interface Levels {
  /** Two-sided significance level, default 0.05. */
  readonly alpha?: number | undefined;
  /** Default 0.8. */
  readonly power?: number | undefined;
}

/** Pairs of true and false with one trial a row, which McNemar's mid-p test compares. */
interface PairedRates {
  readonly kind: "paired-rates";
  readonly n: number;
  /** Rows on which only the candidate is right. */
  readonly higher: number;
  /** Rows on which only the baseline is right. */
  readonly lower: number;
  readonly baselineRate: number;
}

/** The mean of the differences of `n` rows, which Student's t test compares with 0. */
interface MeanDifference {
  readonly kind: "mean";
  readonly n: number;
  readonly df: number;
  readonly standardError: number | null;
  /** The mean of both sides where values are true and false, whose spread changes with it; else null. */
  readonly rate: number | null;
  /**
   * Of the differences: how uncertain their spread is. Of n it is at most n max(d − d̄)² / Σ(d − d̄)²; 3 for normal
   * ones.
   */
  readonly kurtosis: number;
}

/** What a comparison saw. */
export type ComparedSample = PairedRates | MeanDifference;

/** After which a difference is known to 1e-10. */
const HALVINGS = 34;

/**
 * The true difference that another comparison of as many such rows finds with probability `power` (0.8) at the
 * two-sided level `alpha` (0.05). null where no difference is found so often, or the spread is unknown.
 *
 * "paired-rates": the sides are alike, with a share ψ = (higher + lower + ½)/(n + ½) of rows that differ, until each
 * right answer of one of them (or wrong answer, of whichever there are more) changes with some probability; the power
 * is that of the mid-p test. "mean": X = c · SE with the c for which a normal estimate passes t · SE in spite of the
 * chance error of both SEs; rates widen SE as they move, see {@link detectableRate}.
 */
export function detectableDifference(
  sample: ComparedSample,
  { alpha = 0.05, power = 0.8 }: Levels = {},
): number | null {
  if (sample.n < 2) return null;
  if (sample.kind === "mean") return detectableMean(sample, alpha, power);
  const { room } = alikeSides(sample);
  const finds = (difference: number) => powerAt(sample, sample.n, difference, alpha) >= power;
  return finds(room) ? bisect(finds, 0, room, HALVINGS) : null;
}

/**
 * The least number of such rows of which a comparison finds a true difference of `delta` > 0 with probability `power`:
 * the inverse of {@link detectableDifference}. null where no number does.
 */
export function rowsToDetect(
  sample: ComparedSample,
  delta: number,
  { alpha = 0.05, power = 0.8 }: Levels = {},
): number | null {
  if (sample.n < 2) return null;
  if (sample.kind === "paired-rates") {
    if (delta > alikeSides(sample).room) return null;
    return leastRows((rows) => powerAt(sample, rows, delta, alpha) >= power);
  }
  const { n, df, standardError } = sample;
  if (standardError === null) return null;
  return leastRows((rows) => {
    const more = { df: ((df + 1) * rows) / n - 1, standardError: standardError * Math.sqrt(n / rows) };
    const found = detectableMean({ ...sample, n: rows, ...more }, alpha, power);
    return found !== null && found <= delta;
  });
}

/**
 * The share of rows that differ, and the larger of the shares of right and of wrong answers. Half a row more that
 * differs keeps few of them from promising too much; the distance of the rate from ½ is taken without half of the part
 * that chance has in its square.
 */
function alikeSides({ n, higher, lower, baselineRate }: PairedRates): { differ: number; room: number } {
  const rate = baselineRate + (higher - lower) / (2 * n);
  const chance = (rate * (1 - rate) - (higher + lower) / (4 * n)) / (2 * n);
  const room = Math.min(1, 0.5 + Math.sqrt(Math.max(0, (rate - 0.5) ** 2 - chance)));
  return { differ: Math.min((higher + lower + 0.5) / (n + 0.5), 2 * room), room };
}

function powerAt(sample: PairedRates, n: number, difference: number, alpha: number): number {
  const { differ, room } = alikeSides(sample);
  const changed = difference / room;
  const fewer = (differ / 2) * (1 - changed);
  return pairedRatesPower(n, fewer, differ / 2 + changed * (room - differ / 2), alpha);
}

function detectableMean(sample: MeanDifference, alpha: number, power: number): number | null {
  const { df, standardError, rate, kurtosis } = sample;
  if (standardError === null || standardError === 0 || df <= 0) return null;
  // The variance of an SE over the true one, to first order.
  const chance = Math.max(0, kurtosis - 1) / (4 * df);
  const multiple = detectableMultiple(studentTQuantile(1 - alpha / 2, df), normalQuantile(power), chance);
  if (multiple === null) return null;
  const known = rate !== null && rate > 0 && rate < 1;
  return known ? detectableRate(sample, Math.max(rate, 1 - rate), multiple) : multiple * standardError;
}

/**
 * The c with P(Z + c S > t S′) = Φ(z), where S and S′ are the SEs of two samples over the true one, with mean μ = 1 −
 * v/2 and variance v: (c − t)² μ² = z² (1 + (c² + t²) v). null where v is too large for any.
 */
function detectableMultiple(t: number, z: number, v: number): number | null {
  const squared = (1 - v / 2) ** 2;
  const rest = squared - z * z * v;
  return rest <= 0
    ? null
    : (t * squared + Math.sqrt((t * squared) ** 2 - rest * (t * t * rest - z * z))) / rest;
}

/** The share of the variance of a trial that lies between rows, where it is not known. */
const BETWEEN_ROWS = 0.25;

/**
 * X for rates: X² = c² SE² · ((w + w′)/(2w) + (X/r)² V/(n SE²)), where each of the r right answers changes with
 * probability X/r. Within rows a trial has the variance w = r(1 − r) − V before and w′ = r − X − (1 − X/r)² (r² + V)
 * after; between rows V, a quarter of r(1 − r).
 */
function detectableRate({ n, standardError }: MeanDifference, r: number, multiple: number): number | null {
  const reach = (multiple * (standardError ?? 0)) ** 2;
  const spread = (BETWEEN_ROWS * (1 - r)) / r;
  const within = 2 * (1 - BETWEEN_ROWS) * r * (1 - r);
  const square = 1 - (multiple ** 2 * spread) / n + (reach * (1 + spread)) / within;
  if (square <= 0) return null;
  const linear = (reach * (1 - 2 * r * (1 + spread))) / within;
  const found = (Math.sqrt(linear ** 2 + 4 * square * reach) - linear) / (2 * square);
  return found <= r ? found : null;
}

/** The least whole number from 2 on that is enough, where all larger ones are. */
export function leastRows(enough: (rows: number) => boolean): number | null {
  let many = 2;
  for (; !enough(many); many *= 2) if (many >= 2 ** 52) return null;
  if (many === 2) return many;
  return Math.floor(bisect((rows) => enough(Math.floor(rows)), many / 2, many, Math.log2(many)));
}

/**
 * The smallest whole number of rows with which a paired comparison detects a true difference of `delta`: the ceiling
 * of (z_{1−α/2} + z_power)² · variance / delta², at least 1. `variance` is the variance of one row's difference, ω² +
 * σ_A²/K_A + σ_B²/K_B with K trials per row. Miller 2024, arXiv 2411.00640, section 5.
 */
export function sampleSize(options: { readonly delta: number; readonly variance: number } & Levels): number {
  const reach = normalReach(options);
  const { delta } = options;
  checkNumber("delta", delta);
  check(Number.isFinite(delta) && delta !== 0, `delta to be finite and not 0, not ${delta}`);
  return Math.max(1, Math.ceil((reach / delta) ** 2));
}

/** The inverse of `sampleSize`, (z_{1−α/2} + z_power) · √(variance / n). null for n = 0. */
export function minimumDetectableEffect(
  options: { readonly n: number; readonly variance: number } & Levels,
): number | null {
  const reach = normalReach(options);
  const { n } = options;
  checkAmount("n", n);
  return n === 0 ? null : reach / Math.sqrt(n);
}

function normalReach(options: { readonly variance: number } & Levels): number {
  checkObject("options", options);
  const { variance, alpha = 0.05, power = 0.8 } = options;
  checkAmount("variance", variance);
  checkProbability("alpha", alpha, true);
  checkProbability("power", power, true);
  return (normalQuantile(1 - alpha / 2) + normalQuantile(power)) * Math.sqrt(variance);
}
