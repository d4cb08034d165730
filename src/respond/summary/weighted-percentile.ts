/** Type 7 lies between two ranks: the lower and the upper one, 0-based, and how far between them. */
export function percentileRanks(
  n: number,
  percent: number,
): { readonly below: number; readonly above: number; readonly part: number } {
  const position = (n - 1) * percent;
  const below = Math.floor(position / 100);
  return { below, above: Math.ceil(position / 100), part: (position - below * 100) / 100 };
}

/** Linear between two neighbours in ascending order. */
export function interpolate(below: number, above: number, part: number): number {
  return below === above ? below : below + (above - below) * part;
}

/** The percentile of n > 0 values, ascending, each of which stands for `rows` of them. */
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
