import { errorLine } from "../../model/one-line.ts";
import type { PackedRows, PayloadValue } from "../payload/packed-rows.ts";
import { inputLine } from "./input-line.ts";
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
  const values = packed.dimensions[dimensions.indexOf(score ?? "")]?.() ?? [];
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
function meanBetween(values: readonly PayloadValue[], from: number, to: number): number {
  let sum = 0;
  let known = 0;
  for (let at = from; at < to; at++) {
    const value = values[at] ?? "";
    if (value === "") continue;
    sum += Number(value);
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
export function valuesOf({ trials }: RowDetail, score: string | null): RowLine["values"] {
  return trials.map((own) => {
    if (own.length === 0) return undefined;
    const values = own.flatMap((one) => {
      const value = score === null ? undefined : one.score(score);
      return typeof value === "number" || typeof value === "boolean" ? [Number(value)] : [];
    });
    return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
  });
}

/** The line of a row in the table. */
export function lineOf(row: RowDetail, score: string | null, hasOutputs: boolean): RowLine {
  return {
    digest: row.digest,
    input: row.input === undefined ? null : inputLine(row.input),
    values: valuesOf(row, score),
    outputs: hasOutputs ? row.trials.map(saidIn) : [],
    firsts: row.trials.map(([first]) => first?.id),
  };
}

/** What the first trial said, or what it failed with. */
function saidIn([first]: RowDetail["trials"][number]): RowLine["outputs"][number] {
  return first === undefined || first.error === null ? first?.line : errorLine(first.error);
}
