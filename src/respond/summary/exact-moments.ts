import type { ExactMoments } from "../../plan/results.ts";

/** The mean of n > 0 values, rounded once. */
export function exactAverage({ n, sum, unit, shift }: ExactMoments): number {
  return ratio(sum, BigInt(n) * unit, shift);
}

/**
 * The mean of at least one group of values, rounded once, so that equal means are equal in whatever groups: over all
 * values, or of the groups' means.
 */
export function pooledAverage(groups: readonly ExactMoments[], of: "values" | "means"): number {
  const own = ({ n, unit }: ExactMoments) => (of === "means" ? BigInt(n) * unit : unit);
  const common = groups.reduce((all, one) => (all % own(one) === 0n ? all : all * own(one)), 1n);
  const shift = Math.max(...groups.map((one) => one.shift));
  const sum = groups.reduce(
    (all, one) => all + ((one.sum * (common / own(one))) << BigInt(shift - one.shift)),
    0n,
  );
  const count = of === "means" ? groups.length : groups.reduce((all, { n }) => all + n, 0);
  return ratio(sum, BigInt(count) * common, shift);
}

/** Replaces a number that exceeds the range of doubles (infinite or NaN) by null. */
export function finiteOrNull(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}

/**
 * √(Σ(x − x̄)² / (n − 1)), computed from integers so that nothing cancels. null for n < 2 and where the result
 * exceeds the range of doubles.
 */
export function exactDeviation({ n, sum, squares, unit, shift }: ExactMoments): number | null {
  if (n < 2) return null;
  const count = BigInt(n);
  const variance = ratio(count * squares - sum * sum, count * (count - 1n) * unit * unit, 0);
  return finiteOrNull(scaleByPower(Math.sqrt(variance), -shift));
}

/** The standard error of the mean; null where {@link exactDeviation} is. */
export function exactStandardError(moments: ExactMoments): number | null {
  const deviation = exactDeviation(moments);
  return deviation === null ? null : deviation / Math.sqrt(moments.n);
}

const QUOTIENT_BITS = 66;

/** numerator / denominator · 2^-shift, rounded once; denominator > 0. */
export function ratio(numerator: bigint, denominator: bigint, shift: number): number {
  if (numerator === 0n) return 0;
  const size = numerator < 0n ? -numerator : numerator;
  const extra = Math.max(0, QUOTIENT_BITS - bitLength(size) + bitLength(denominator));
  const widened = size << BigInt(extra);
  const quotient = widened / denominator;
  const sticky = quotient * denominator === widened ? quotient : quotient | 1n;
  const result = scaleByPower(Number(sticky), -extra - shift);
  return numerator < 0n ? -result : result;
}

function bitLength(value: bigint): number {
  return value.toString(2).length;
}

const STEP = 1000;

/** value · 2^exponent, also where 2^exponent itself is not representable as a double. */
export function scaleByPower(value: number, exponent: number): number {
  let result = value;
  let left = exponent;
  for (; left > STEP; left -= STEP) result *= 2 ** STEP;
  for (; left < -STEP; left += STEP) result *= 2 ** -STEP;
  return result * 2 ** left;
}
