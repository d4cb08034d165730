/** Ranks from 1, in input order; equal values share the mean of their ranks. */
export function midRanks(x: readonly number[]): readonly number[] {
  const order = [...x.entries()].sort(([, a], [, b]) => a - b);
  const ranks = Array.from(x, () => 0);
  for (let start = 0; start < order.length;) {
    const value = order[start]?.[1];
    let end = start;
    while (order[end]?.[1] === value && end < order.length) end += 1;
    for (const [index] of order.slice(start, end)) ranks[index] = (start + 1 + end) / 2;
    start = end;
  }
  return ranks;
}

/** How often each distinct value occurs. */
export function tieCounts(x: readonly number[]): readonly number[] {
  const counts = new Map<number, number>();
  for (const value of x) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts.values()];
}
