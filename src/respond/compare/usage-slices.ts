import type { Key } from "../../model/digest.ts";
import { mapInSlices, sortInSlices } from "../../model/turns.ts";
import type { Comparison } from "./comparison.ts";
import type { sliceAll, WholeComparison } from "./slice-all.ts";
import type { ComparedSlicing, Slice } from "./slices.ts";

/** Slices of rows by what they took in a run. */
export interface UsageSlices {
  /** Id of the run. */
  readonly of: string;
  readonly bins: number;
  /** The least and the largest mean of the rows of each slice, from the first on. */
  readonly ranges: ReadonlyMap<number, readonly [least: number, most: number]>;
}

/**
 * Places rows by the means of their trials: a row is in the slice 1 + ⌊bins × rows with a smaller mean / rows⌋, so that
 * equal ones stay together.
 */
export async function placeRows(
  numbers: readonly { readonly rowKey: Key; readonly number: number }[],
  bins: number,
): Promise<
  Pick<UsageSlices, "ranges"> & { readonly rowKeys: readonly Key[]; readonly slices: readonly number[] }
> {
  const byRow = new Map<Key, number[]>();
  await mapInSlices(numbers, ({ rowKey, number }) => {
    const own = byRow.get(rowKey);
    if (own === undefined) byRow.set(rowKey, [number]);
    else own.push(number);
  });
  const means = await mapInSlices(byRow, ([rowKey, own]) => ({ rowKey, mean: meanOf(own) }));
  const rows = await sortInSlices(means, (a, b) => a.mean - b.mean);
  const ranges = new Map<number, readonly [number, number]>();
  let [smaller, last] = [0, -Infinity];
  const slices = await mapInSlices(rows, ({ mean }, i) => {
    if (mean > last) smaller = i;
    last = mean;
    const slice = 1 + Math.floor((bins * smaller) / rows.length);
    ranges.set(slice, [ranges.get(slice)?.[0] ?? mean, mean]);
    return slice;
  });
  return { ranges, rowKeys: rows.map(({ rowKey }) => rowKey), slices };
}

/** In one order, since trials come in any. */
function meanOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b).reduce((sum, one) => sum + one, 0) / numbers.length;
}

/** A trial that failed took longer because it failed. */
const REASON = "sliced by trials that are compared";
const NOTE =
  "by: trials that are compared make the slices, so nothing is judged; name an earlier run in by.of";

type Sliced = Awaited<ReturnType<typeof sliceAll>>;

/**
 * Judges slices by what rows took, but those of two evaluations of which one made them; `judge` judges some
 * comparisons.
 */
export async function sliceByUsage(
  wholes: readonly WholeComparison[],
  { of, bins, ranges }: UsageSlices,
  judge: (some: readonly WholeComparison[]) => Promise<Sliced>,
): Promise<Sliced & { readonly notes?: readonly string[] }> {
  const isOwn = ({ comparison: { baseline, candidate } }: WholeComparison) =>
    baseline === of || candidate === of;
  const judged = await judge(wholes.filter((one) => !isOwn(one)));
  const described = await judge(wholes.filter(isOwn));
  const [told, left] = [judged.comparisons.values(), described.comparisons.map(unjudged).values()];
  const slicing: ComparedSlicing = {
    ...judged.slicing,
    of,
    bins,
    judged: described.comparisons.length === 0,
  };
  return {
    slicing,
    comparisons: wholes.flatMap((one): Comparison[] => {
      const { value } = (isOwn(one) ? left : told).next();
      return value === undefined ? [] : [withRanges(value, ranges)];
    }),
    ...(slicing.judged === true ? {} : { notes: [NOTE] }),
  };
}

function withRanges(comparison: Comparison, ranges: UsageSlices["ranges"]): Comparison {
  const slices = comparison.slices?.map((one): Slice => ({
    ...one,
    range: ranges.get(Number.parseInt(String(one.value[0]), 10)),
  }));
  return { ...comparison, slices };
}

/** A comparison whose slices only describe. */
function unjudged(comparison: Comparison): Comparison {
  const slices = comparison.slices?.map((one): Slice => ({
    ...one,
    standard_error: null,
    confidence_interval: null,
    p_value: null,
    p_value_adjusted: null,
    verdict: "inconclusive",
    ...(one.equivalence_interval === undefined ? {} : { equivalence_interval: null }),
    reason: REASON,
  }));
  return { ...comparison, slices, explained_by: null };
}
