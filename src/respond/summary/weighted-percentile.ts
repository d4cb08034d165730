/**
 * The two 0-based ranks that a type 7 percentile lies between, and the fraction of the way from the lower to the
 * upper rank.
 */
export function percentileRanks(n: number, percent: number) {
  const position = (n - 1) * percent;
  const below = Math.floor(position / 100);
  return { below, above: Math.ceil(position / 100), part: (position - below * 100) / 100 };
}

/** Interpolates linearly between two neighbours in ascending order. */
export function interpolate(below: number, above: number, part: number): number {
  return below === above ? below : below + (above - below) * part;
}

/** The percentile of n > 0 values in ascending order, where each entry stands for `rows` equal values. */
export function percentileOf(
  values: readonly { readonly value: number; readonly rows: number }[],
  n: number,
  percent: number,
): number {
  const { below, above, part } = percentileRanks(n, percent);
  const at = (rank: number): number => {
    let passed = 0;
    for (const { value, rows } of values) {
      passed += rows;
      if (passed > rank) return value;
    }
    return values.at(-1)?.value ?? 0;
  };
  return interpolate(at(below), at(above), part);
}
