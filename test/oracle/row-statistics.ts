import { studentInterval, wilson } from "../../src/stats/index.ts";
import { exactMean } from "./mean.ts";
import { scoresOf, type RunTrial } from "./scored-runs.ts";

/** What stands at a place of a trial's scores: a value, null (there or on the way), or nothing. */
export function valueAt(one: RunTrial, path: readonly string[]): unknown {
  let at: unknown = scoresOf(one);
  for (const name of path) {
    if (at === null) return null;
    if (typeof at !== "object" || Array.isArray(at)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

export function isLeaf(value: unknown): value is boolean | number | string {
  return typeof value === "boolean" || typeof value === "number" || typeof value === "string";
}

/** Trials' values by row: numbers where there are any, else booleans as 1 and 0. */
export function valuesByRow(trials: readonly RunTrial[], path: readonly string[]): Map<number, number[]> {
  const leaves = trials.map((one) => ({ row: one.row, value: valueAt(one, path) }));
  const numeric = leaves.some(({ value }) => typeof value === "number");
  const rows = new Map<number, number[]>();
  for (const { row, value } of leaves) {
    if (typeof value !== (numeric ? "number" : "boolean")) continue;
    rows.set(row, [...(rows.get(row) ?? []), Number(value)]);
  }
  return rows;
}

export function rowMeans(rows: ReadonlyMap<number, readonly number[]>): Map<number, number> {
  return new Map([...rows].map(([row, values]) => [row, exactMean(values) ?? 0]));
}

/** √(Σ(x − x̄)²/(n − 1)), in units of the largest value so that no square overflows. */
export function deviation(x: readonly number[]): number | null {
  if (x.length < 2) return null;
  const size = Math.max(...x.map(Math.abs));
  if (size === 0) return 0;
  const scaled = x.map((value) => value / size);
  const centre = exactMean(scaled) ?? 0;
  let squares = 0;
  for (const value of scaled) squares += (value - centre) ** 2;
  return size * Math.sqrt(squares / (x.length - 1));
}

export function type7(x: readonly number[], share: number): number | null {
  if (x.length === 0) return null;
  const sorted = [...x].sort((a, b) => a - b);
  const position = (sorted.length - 1) * share;
  const [low = 0, high = low] = [sorted[Math.floor(position)], sorted[Math.ceil(position)]];
  return low + (high - low) * (position - Math.floor(position));
}

function choose(n: number, k: number): bigint {
  if (k > n) return 0n;
  let result = 1n;
  for (let i = 0n; i < BigInt(k); i++) result = (result * (BigInt(n) - i)) / (i + 1n);
  return result;
}

/** The statistics of one place of one evaluation; null where it has no leaf. */
export function expectedStatistics(
  trials: readonly RunTrial[],
  path: readonly string[],
  passK: readonly number[],
) {
  const values = trials.map((one) => valueAt(one, path));
  const scored = values.filter(isLeaf).length;
  if (scored === 0) return null;
  const rows = valuesByRow(trials, path);
  const means = [...rowMeans(rows).values()];
  const zeroOne = means.length > 0 && [...rows.values()].flat().every((value) => value === 0 || value === 1);
  const single = [...rows.values()].every((list) => list.length === 1);
  const sd = deviation(means);
  const mean = exactMean(means);
  const error = sd === null ? null : sd / Math.sqrt(means.length);
  const asRows = single || error === null || error === 0 || mean === null;
  const effective = asRows ? means.length : (mean * (1 - mean)) / error ** 2;
  const interval = zeroOne
    ? wilson(Math.min(effective, (mean ?? 0) * effective), effective)
    : studentInterval(mean, error, means.length - 1);
  const errors = trials.filter((one, i) => one.error !== "none" && !isLeaf(values[i])).length;
  const nulls = trials.filter((one, i) => one.error === "none" && values[i] === null).length;
  return {
    row_mean: mean,
    scored_row_count: means.length,
    standard_error: error,
    confidence_interval: interval,
    interval_method: interval === null ? null : zeroOne ? "wilson" : "student-t",
    stddev: sd,
    min: means.length === 0 ? null : Math.min(...means),
    max: means.length === 0 ? null : Math.max(...means),
    p50: type7(means, 0.5),
    p90: type7(means, 0.9),
    p99: type7(means, 0.99),
    expected_trial_count: trials.length,
    missing_count: trials.length - scored - errors - nulls,
    null_count: nulls,
    error_count: errors,
    ...(zeroOne && !values.some((value) => typeof value === "string")
      ? expectedPasses([...rows.values()], passK)
      : {}),
  };
}

/** All k are over the rows with at least as many trials as the largest. */
function expectedPasses(all: readonly (readonly number[])[], passK: readonly number[]) {
  const rows = all.filter((list) => list.length >= Math.max(...passK));
  const by = (estimate: (n: number, c: number, k: number) => number) =>
    Object.fromEntries(
      passK.map((k) => {
        const estimates = rows.map((list) =>
          estimate(list.length, list.filter((one) => one === 1).length, k),
        );
        return [k, exactMean(estimates)];
      }),
    );
  return {
    pass_at_k: by((n, c, k) => 1 - Number(choose(n - c, k)) / Number(choose(n, k))),
    pass_hat_k: by((n, c, k) => Number(choose(c, k)) / Number(choose(n, k))),
    pass_k_row_count: Object.fromEntries(passK.map((k) => [k, rows.length])),
  };
}

/** Where `actual` departs from `expected` by more than rounding of numbers of the size `scale`. */
export function departures(actual: unknown, expected: unknown, scale: number, path = ""): string[] {
  // A double beyond 2^53 is written as an integer, which is read as one.
  if (typeof actual === "bigint") return departures(Number(actual), expected, scale, path);
  if (typeof actual === "number" && typeof expected === "number") {
    const close = Math.abs(actual - expected) <= 1e-9 * Math.abs(expected) + 1e-12 * scale;
    return close ? [] : [`${path}: ${actual}, not ${expected}`];
  }
  if (typeof expected === "object" && expected !== null && typeof actual === "object" && actual !== null)
    return Object.entries(expected).flatMap(([key, value]) =>
      departures((actual as Record<string, unknown>)[key], value, scale, `${path}.${key}`),
    );
  return Object.is(actual, expected)
    ? []
    : [`${path}: ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`];
}
