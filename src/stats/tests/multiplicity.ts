import { checkCount, checkList, checkProbability } from "../numeric/arguments.ts";

/**
 * Bonferroni: min(1, m p), where m is the number of p values. Every function here returns adjusted p values in input
 * order.
 */
export function bonferroni(p: readonly number[]): number[] {
  return adjust(p, "step-down", (_, m) => m);
}

/**
 * Holm 1979, a step-down method that controls the family-wise error: max over j ≤ i of min(1, (m − j + 1) p_(j)). m is
 * `size`, by default the number of p values; those of a larger family that are not here count as 1.
 */
export function holm(p: readonly number[], size?: number): number[] {
  return adjust(p, "step-down", (rank, m) => m - rank + 1, size);
}

/**
 * Benjamini and Hochberg 1995, a step-up method that controls the false discovery rate: min over j ≥ i of min(1, m
 * p_(j) / j). m is `size`, as in {@link holm}.
 */
export function benjaminiHochberg(p: readonly number[], size?: number): number[] {
  return adjust(p, "step-up", (rank, m) => m / rank, size);
}

/**
 * Scales each p value by a factor of its rank; stepping down keeps the running maximum, stepping up the running
 * minimum.
 */
function adjust(
  p: readonly number[],
  direction: "step-down" | "step-up",
  factor: (rank: number, m: number) => number,
  size?: number,
): number[] {
  checkList("p", p);
  const m = size ?? p.length;
  checkCount("size", m, p.length);
  p.forEach((value) => checkProbability("p", value));
  const ascending = [...p.entries()].sort(([, a], [, b]) => a - b);
  const steps = ascending.map(([index, value], i) => [index, factor(i + 1, m) * value] as const);
  const down = direction === "step-down";
  const adjusted = [...p];
  let running = down ? 0 : 1;
  for (const [index, scaled] of down ? steps : steps.reverse()) {
    running = down ? Math.min(1, Math.max(running, scaled)) : Math.min(running, scaled);
    adjusted[index] = running;
  }
  return adjusted;
}
