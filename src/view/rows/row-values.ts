import type { PackedRows } from "../payload/packed-rows.ts";

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
  const place = dimensions.findIndex(({ name }) => name === score);
  const values = place === -1 ? new Float64Array(0) : packed.dimension(place).values;
  const means = new Float64Array(rows * columns);
  const pooled = new Float64Array(rows);
  const spread = new Float64Array(rows);
  for (let row = 0; row < rows; row++) {
    let [sum, known, low, high, with2] = [0, 0, Infinity, -Infinity, 0];
    for (let at = row * columns; at < (row + 1) * columns; at++) {
      const cell = cellSum(values, packed.starts[at] ?? 0, packed.starts[at + 1] ?? 0);
      const mean = cell.sum / cell.known;
      means[at] = mean;
      if (cell.known === 0) continue;
      sum += cell.sum;
      known += cell.known;
      with2 += 1;
      low = Math.min(low, mean);
      high = Math.max(high, mean);
    }
    pooled[row] = sum / known;
    spread[row] = with2 < 2 ? Number.NaN : high - low;
  }
  return { rows, columns, means, pooled, spread };
}

function cellSum(values: Float64Array, from: number, to: number): { sum: number; known: number } {
  let [sum, known] = [0, 0];
  for (let trial = from; trial < to; trial++) {
    const value = values[trial] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    sum += value;
    known += 1;
  }
  return { sum, known };
}
