import { studentInterval } from "../../src/stats/index.ts";
import { asList, canonicalText, isObject, isNumber, member } from "./json.ts";
import type { Json } from "./json.ts";
import { exactMean } from "./mean.ts";
import { deviation, type7 } from "./row-statistics.ts";

export type Used = {
  readonly mean: number | null;
  readonly confidence_interval: readonly [number, number] | null;
  readonly p50: number | null;
  readonly p90: number | null;
  readonly known_count: number;
};

/** Values by row. */
export type RowValues = ReadonlyMap<string, readonly number[]>;

export function valuesOfRows(
  trials: readonly { readonly row: string; readonly value: number | null }[],
): RowValues {
  const rows = new Map<string, number[]>();
  for (const { row, value } of trials) if (value !== null) rows.set(row, [...(rows.get(row) ?? []), value]);
  return rows;
}

export function meansOfRows(rows: RowValues): number[] {
  return [...rows.values()].map((values) => exactMean(values) ?? 0);
}

/** What rows used: Student's t, whatever the values are. */
export function usedBy(rows: RowValues): Used | null {
  const means = meansOfRows(rows);
  if (means.length === 0) return null;
  const [mean, sd] = [exactMean(means), deviation(means)];
  return {
    mean,
    confidence_interval: studentInterval(
      mean,
      sd === null ? null : sd / Math.sqrt(means.length),
      means.length - 1,
    ),
    p50: type7(means, 0.5),
    p90: type7(means, 0.9),
    known_count: means.length,
  };
}

/** The row values of one evaluation, and those of all evaluations of the answer, from which the edges follow. */
export type BinnedValues = {
  readonly bins: number;
  readonly least: number;
  readonly most: number;
  readonly own: readonly number[];
};

/** Equal parts of the way from the least to the most, each rounded once. */
function edgesOf({ bins, least, most }: BinnedValues): number[] {
  return Array.from(
    { length: bins + 1 },
    (_, i) => exactMean([...Array<number>(bins - i).fill(least), ...Array<number>(i).fill(most)]) ?? 0,
  );
}

/**
 * Where a histogram departs from these values. A mean over trials may differ by its last digits, so a row that lies on an
 * edge may count on either side of it.
 */
export function histogramFaults(actual: Json, wanted: Json): string[] {
  if (!isObject(actual) || !isObject(wanted)) return ["one of them is absent"];
  const [bins, least, most] = ["bins", "least", "most"].map((name) => Number(member(wanted, name)));
  const own = asList(member(wanted, "own")).map(Number);
  const expected: BinnedValues = { bins: bins ?? 0, least: least ?? 0, most: most ?? 0, own };
  const edges = asList(member(actual, "edges")).map(Number);
  const counts = asList(member(actual, "counts")).map(Number);
  const slack = 1e-12 * Math.max(Math.abs(expected.least), Math.abs(expected.most));
  const faults = edgesOf(expected).flatMap((edge, i) =>
    Math.abs(edge - (edges[i] ?? Infinity)) <= slack ? [] : [`edge ${i}: ${edges[i]}, not ${edge}`],
  );
  if (edges.length !== expected.bins + 1 || counts.length !== expected.bins)
    faults.push("the number of bins");
  let before = 0;
  for (const [i, edge] of edges.entries()) {
    const below = (by: number) => expected.own.filter((value) => value < edge + by).length;
    const last = i === edges.length - 1;
    const [fewest, greatest] = last
      ? [expected.own.length, expected.own.length]
      : [below(-slack), below(slack)];
    if (before < fewest || before > greatest)
      faults.push(`${before} rows below edge ${i}, not ${fewest} to ${greatest}`);
    before += counts[i] ?? 0;
  }
  return faults;
}

/** Where statistics depart from these by more than rounding. */
export function usedFaults(actual: Json, expected: Json): string[] {
  if (!isObject(actual) || !isObject(expected)) return actual === expected ? [] : ["one of them is null"];
  const size =
    Math.abs(Number(member(expected, "mean") ?? 0)) + Math.abs(Number(member(expected, "p90") ?? 0));
  return ["mean", "p50", "p90", "known_count", "confidence_interval"].flatMap((name) => {
    const [left, right] = [member(actual, name), member(expected, name)].map((one) =>
      one !== null && typeof one === "object" ? asList(one) : [one],
    );
    const near = right?.every((value, i) => {
      const other = left?.[i] ?? null;
      if (!isNumber(value) || !isNumber(other)) return value === other;
      return Math.abs(Number(value) - Number(other)) <= 1e-9 * Math.max(size, Math.abs(Number(value)));
    });
    return near === true
      ? []
      : [`${name}: ${canonicalText(left ?? null)}, not ${canonicalText(right ?? null)}`];
  });
}
