// The mean without rounding on the way: every double is a whole number of 2^-1074.
const SMALLEST_POWER = 1074;

function inSmallestUnits(value: number): bigint {
  let whole = value;
  let doublings = 0;
  while (!Number.isInteger(whole)) {
    whole *= 2;
    doublings += 1;
  }
  return BigInt(whole) << BigInt(SMALLEST_POWER - doublings);
}

// JavaScript rounds decimal text correctly, and no two candidates for a mean lie closer than 1e-1100.
function nearestDouble(numerator: bigint, denominator: bigint): number {
  return Number(`${(numerator * 10n ** 1100n) / denominator}e-1100`);
}

function exactSum(values: readonly number[]): bigint {
  return values.reduce((total, value) => total + inSmallestUnits(value), 0n);
}

/** The exact sum, rounded once. */
export function roundedSum(values: readonly number[]): number {
  return nearestDouble(exactSum(values), 1n << BigInt(SMALLEST_POWER));
}

/** The sign of mean(left) − mean(right), without rounding; neither is empty. */
export function compareMeans(left: readonly number[], right: readonly number[]): number {
  const difference = exactSum(left) * BigInt(right.length) - exactSum(right) * BigInt(left.length);
  return difference === 0n ? 0 : difference > 0n ? 1 : -1;
}

export function exactMean(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sum = exactSum(values);
  return nearestDouble(sum, BigInt(values.length) << BigInt(SMALLEST_POWER));
}
