/** Σ x; 0 without values. */
export function sum(x: Iterable<number>): number {
  let total = 0;
  for (const value of x) total += value;
  return total;
}
