import { discriminations } from "../../stats/agreement/discrimination.ts";
import { average, type Interval } from "../../stats/estimates/mean.ts";
import { holm } from "../../stats/tests/multiplicity.ts";

/** What can be said of a row; see {@link Item.flags}. */
export type ItemFlag = "all_right" | "none_right" | "negative" | "unstable";

/** What one row tells of the evaluations. A quantity that does not exist is null. */
export interface Item {
  /** Digest of the row. */
  readonly row_digest: string;
  /** Mean over the evaluations that have the row; of each the mean of its known trials. In the unit of the score. */
  readonly mean: number;
  /** Trials with a value, of all evaluations. */
  readonly trial_count: number;
  /** Evaluations with a value. */
  readonly evaluation_count: number;
  /** Evaluations of which every trial has 1; null unless all values of the score are 0 or 1. */
  readonly passed_count: number | null;
  /**
   * Correlation, over evaluations, of the row's value with the mean of the evaluation over its other rows, −1 to 1;
   * null with fewer than 3 evaluations, and where a side is constant.
   */
  readonly discrimination: number | null;
  /** Confidence interval of `discrimination` by Fisher's z; null below 8 evaluations, and at −1 and 1. */
  readonly discrimination_interval: Interval | null;
  /** Of no correlation, by Fisher's z. */
  readonly p_value: number | null;
  /** By Holm, over all rows with a p value. */
  readonly p_value_adjusted: number | null;
  /**
   * `all_right`: all values are 1; `none_right`: all are 0. `negative`: `discrimination` is below 0 and shown; the
   * reference may be wrong. `unstable`: the trials of one evaluation differ.
   */
  readonly flags: readonly ItemFlag[];
}

/** What the rows tell of some evaluations in one score. */
export interface ItemsAnswer {
  /** The scorer. */
  readonly scorer_key: string;
  /** Members below the scorer, joined by dots; null where the score itself is the value. */
  readonly path: string | null;
  /** Ids of the evaluations that have a value, in the order of the request. */
  readonly evaluations: readonly string[];
  /** Confidence level of the intervals; `negative` is shown at 1 less it. */
  readonly confidence: number;
  /** Rows with a value, of which `rows` are a part where the request has a limit. */
  readonly row_count: number;
  /** Rows with each flag, and rows on which all values are equal. */
  readonly counts: Readonly<Record<ItemFlag | "nothing_apart", number>>;
  /**
   * `negative` by p value, those below 0 by discrimination, `unstable`, the others by discrimination, those without
   * one last; then by digest.
   */
  readonly rows: readonly Item[];
  /** What follows from the counts. */
  readonly sentence: string;
  /** Remarks for the reader. */
  readonly warnings: readonly string[];
}

/** The values of rows in the order of their digests. */
export interface ItemValues {
  readonly digests: readonly string[];
  /** By evaluation, then row; NaN without a value. */
  readonly values: readonly Float64Array[];
  /** Trials with a value, by row. */
  readonly trials: ArrayLike<number>;
  /** The rows on which trials of one evaluation differ. */
  readonly unstable: ReadonlySet<number>;
  /** Whether the values of all trials are 0 or 1. */
  readonly rates: boolean;
}

interface Described extends Item {
  /** Whether all values are equal. */
  readonly isEqual: boolean;
}

/** Numbers whose sums might leave the range of doubles are scaled by a power of two. */
const LARGE = 2 ** 900;
const SCALE = 2 ** -124;

/** Describes the rows in their order, and counts them. */
export function describeItems(found: ItemValues, confidence: number): Pick<ItemsAnswer, "rows" | "counts"> {
  const unit = unitOf(found.values);
  const values = unit === 1 ? found.values : found.values.map((own) => own.map((value) => value * unit));
  const told = discriminations(values, confidence);
  const adjusted = holm(told.flatMap(({ pValue }) => pValue ?? [])).values();
  const rows = told.map((one, row): Described => {
    const own = values.flatMap((each) => (Number.isNaN(each[row]) ? [] : (each[row] ?? 0) / unit));
    const p = one.pValue === null ? null : (adjusted.next().value ?? null);
    const isNegative = p !== null && p <= 1 - confidence && (one.discrimination ?? 0) < 0;
    const flags: Readonly<Record<ItemFlag, boolean>> = {
      all_right: own.every((value) => value === 1),
      none_right: own.every((value) => value === 0),
      negative: isNegative,
      unstable: found.unstable.has(row),
    };
    return {
      row_digest: found.digests[row] ?? "",
      mean: average(own.map((value) => value * unit)) / unit,
      trial_count: found.trials[row] ?? 0,
      evaluation_count: own.length,
      passed_count: found.rates ? own.filter((value) => value === 1).length : null,
      discrimination: one.discrimination,
      discrimination_interval: one.interval,
      p_value: one.pValue,
      p_value_adjusted: p,
      flags: ITEM_FLAGS.filter((flag) => flags[flag]),
      isEqual: areEqual(own),
    };
  });
  return { counts: countsOf(rows), rows: rows.toSorted(inOrder).map(({ isEqual: _equal, ...row }) => row) };
}

function unitOf(values: readonly Float64Array[]): number {
  const isLarge = values.some((own) => own.some((value) => Math.abs(value) > LARGE));
  return isLarge ? SCALE : 1;
}

/** Means of equal values that are rounded apart. */
const ROUNDING = 4 * Number.EPSILON;

function areEqual(values: readonly number[]): boolean {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return most - least <= ROUNDING * Math.max(Math.abs(least), Math.abs(most));
}

function countsOf(rows: readonly Described[]): ItemsAnswer["counts"] {
  const count = (isCounted: (one: Described) => boolean) => rows.filter(isCounted).length;
  const flagged = ITEM_FLAGS.map((flag) => [flag, count(({ flags }) => flags.includes(flag))]);
  return {
    ...(Object.fromEntries(flagged) as Record<ItemFlag, number>),
    nothing_apart: count(({ isEqual }) => isEqual),
  };
}

const grouped = (count: number) => count.toLocaleString("en-US");

/** How many rows tell nothing, and how many the worse evaluations answer better. */
export function itemsSentence(rows: number, evaluations: number, counts: ItemsAnswer["counts"]): string {
  if (rows === 0) return "No row has a value of this score.";
  const these = evaluations === 1 ? "this evaluation" : `these ${grouped(evaluations)} evaluations`;
  const tell = `${grouped(counts.nothing_apart)} of ${grouped(rows)} rows tell ${these} nothing apart`;
  if (counts.negative === 0) return `${tell}.`;
  const [are, their] = counts.negative === 1 ? ["row is", "its reference"] : ["rows are", "their references"];
  return `${tell}; ${grouped(counts.negative)} ${are} answered better by the worse models: look at ${their} first.`;
}

export const ITEM_FLAGS = ["all_right", "none_right", "negative", "unstable"] as const;

function inOrder(a: Item, b: Item): number {
  const [first, second] = [groupOf(a), groupOf(b)];
  if (first !== second) return first - second;
  const by = first === 0 ? ("p_value" as const) : ("discrimination" as const);
  const [x, y] = [a[by] ?? Infinity, b[by] ?? Infinity];
  return x === y ? Number(a.row_digest > b.row_digest) - Number(a.row_digest < b.row_digest) : x - y;
}

function groupOf({ flags, discrimination }: Item): number {
  if (flags.includes("negative")) return 0;
  if (discrimination !== null && discrimination < 0) return 1;
  return flags.includes("unstable") ? 2 : 3;
}
