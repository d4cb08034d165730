import { compareText } from "../../model/text-order.ts";
import type { Interval } from "../../stats/estimates/mean.ts";

/** A value that a slice stands for, in JSON; values of different types are different ones. */
export type SliceValue = string | number | boolean;

/** How the rows of an answer fall into slices; only where the request names fields in `by`. */
export interface Slicing {
  /** The fields, as the request spells them; none where `auto` found no field. */
  readonly fields: readonly string[];
  /** How many values there are, judged or not. */
  readonly slice_count: number;
  /** Whether a row is in several slices, as with lists of tags. */
  readonly overlapping: boolean;
  /** Values that are not judged, by rows, at most 200 of them. */
  readonly others: readonly SlicedRows[];
  /** The fields that `auto` tried, by name; only with `auto`. */
  readonly fields_tried?: readonly string[] | undefined;
  /** Only of slices by `output.details.<path>`: they are of trials and describe, since their values are outcomes. */
  readonly descriptive?: true | undefined;
}

/** A slice and its rows. */
export interface SlicedRows {
  /** One entry a field. */
  readonly value: readonly SliceValue[];
  /** Rows with that value: of a comparison, those on which the baseline and a candidate have a trial. */
  readonly row_count: number;
  /** Trials with that value; only of slices that describe. */
  readonly trial_count?: number | undefined;
}

/** The slices of a summary. */
export interface SummarySlicing extends Slicing {
  /** The slices in the order of the scorer stats: by rows, most first, then by value. */
  readonly values: readonly SlicedRows[];
}

/** One slice of a score dimension in one evaluation. */
export type SummarySlice = RowSlice | DescriptiveSlice;

/** The trials of an evaluation that have one value in their details. Nothing is tested of them. */
export interface DescriptiveSlice {
  /** One entry a field. */
  readonly value: readonly SliceValue[];
  /** Trials with that value and a score. */
  readonly trial_count: number;
  /** The mean of their scores; null without a number, true or false. */
  readonly mean: number | null;
  /** Tells it from a slice of rows. */
  readonly descriptive: true;
}

/** A slice of rows. A row's value is the mean of its trials. */
export interface RowSlice {
  /** One entry a field. */
  readonly value: readonly SliceValue[];
  /** Trials with a value. */
  readonly trial_count: number;
  /** Rows with a number, true or false. */
  readonly scored_row_count: number;
  /** The mean of their values; null without such a row. */
  readonly row_mean: number | null;
  /** Trials that are true, of those that are true or false; null without such a trial. */
  readonly pass_rate: number | null;
  /** 95 % confidence interval of `row_mean`, by the method of the whole dimension; only with `include_uncertainty`. */
  readonly confidence_interval?: Interval | null | undefined;
  /** Only slices by what trials tell of themselves have it. */
  readonly descriptive?: undefined;
}

/** The value of a key: a letter for its type, and its text. */
export function valueOfKey(key: string): SliceValue {
  const text = key.slice(1);
  if (key.startsWith("n")) return Number(text);
  return key.startsWith("b") ? text === "true" : text;
}

/** Orders slices by value: numbers, false and true, then texts by code point. */
export function compareValues(a: readonly SliceValue[], b: readonly SliceValue[]): number {
  for (const [i, one] of a.entries()) {
    const order = compareOne(one, b[i] ?? "");
    if (order !== 0) return order;
  }
  return 0;
}

const TYPES = ["number", "boolean", "string"];

function compareOne(a: SliceValue, b: SliceValue): number {
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  return TYPES.indexOf(typeof a) - TYPES.indexOf(typeof b) || Number(a) - Number(b);
}
