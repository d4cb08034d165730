import type { PackedRows } from "../payload/decode.ts";
import type { RowDetail, RowLine } from "./row-source.ts";

/** The values of one dimension, a row's trials averaged. */
export interface RowValues {
  readonly rows: number;
  readonly columns: number;
  /** Row r in evaluation e stands at `r * columns + e`; NaN where there is no value. */
  readonly means: Float64Array;
  /** The mean over all trials of each row; NaN where there is no value. */
  readonly pooled: Float64Array;
  /** The largest mean less the smallest; NaN where fewer than two evaluations have a value. */
  readonly spread: Float64Array;
}

/** Averages the trials of each row. Without a dimension nothing has a value. */
export function rowValues(packed: PackedRows, score: string | null): RowValues {
  const { rowCount: rows, evaluations, dimensions } = packed.header;
  const columns = evaluations.length;
  const { starts } = packed;
  const place = dimensions.findIndex(({ name }) => name === score);
  const values =
    place === -1 ? new Float64Array(0) : (packed.dimensions[place]?.numbers() ?? new Float64Array(0));
  const means = new Float64Array(rows * columns);
  const pooled = new Float64Array(rows);
  const spread = new Float64Array(rows);
  for (let row = 0; row < rows; row++) {
    const first = row * columns;
    for (let at = first; at < first + columns; at++)
      means[at] = meanBetween(values, starts[at] ?? 0, starts[at + 1] ?? 0);
    pooled[row] = meanBetween(values, starts[first] ?? 0, starts[first + columns] ?? 0);
    spread[row] = spreadBetween(means, first, first + columns);
  }
  return { rows, columns, means, pooled, spread };
}

/** The mean of the values that are there; NaN where there is none. */
function meanBetween(values: Float64Array, from: number, to: number): number {
  let sum = 0;
  let known = 0;
  for (let at = from; at < to; at++) {
    const value = values[at] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    sum += value;
    known += 1;
  }
  return sum / known;
}

function spreadBetween(means: Float64Array, from: number, to: number): number {
  let low = Infinity;
  let high = -Infinity;
  let known = 0;
  for (let at = from; at < to; at++) {
    const mean = means[at] ?? Number.NaN;
    if (Number.isNaN(mean)) continue;
    known += 1;
    if (mean < low) low = mean;
    if (mean > high) high = mean;
  }
  return known < 2 ? Number.NaN : high - low;
}

/** A row's values in a dimension, from its trials. */
export function valuesOf(detail: RowDetail, score: string | null): RowLine["values"] {
  return detail.trials.map((trials) => {
    if (trials.length === 0) return undefined;
    const values = trials.flatMap(({ scores }) => {
      const value = scores.find(([name]) => name === score)?.[1];
      return typeof value === "number" ? [value] : typeof value === "boolean" ? [Number(value)] : [];
    });
    return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
  });
}
