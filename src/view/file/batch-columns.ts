import type { RecordBatch } from "apache-arrow";

export type TrialPlaces = ReturnType<typeof trialPlaces>;

/** Where the trial of each record of a batch stands. */
export function trialPlaces(batch: RecordBatch) {
  return {
    rows: integers(batch, "row_order"),
    evaluations: integers(batch, "evaluation"),
    indexes: integers(batch, "trial_index"),
  };
}

/** The values of a column of 32 bits. */
export function integers(batch: RecordBatch, name: string): Int32Array {
  return dataOf(batch, name).values as Int32Array;
}

/** The values of a column of 8 bits. */
export function bytes(batch: RecordBatch, name: string): Uint8Array {
  return dataOf(batch, name).values as Uint8Array;
}

/** The number of a record; null where there is none. */
export function doubles(batch: RecordBatch, name: string): (record: number) => number | null {
  const data = dataOf(batch, name);
  const values = data.values as Float64Array;
  return (record) => (data.getValid(record) ? (values[record] ?? null) : null);
}

/** The text of a record as UTF-8; null where there is none. */
export function texts(batch: RecordBatch, name: string): (record: number) => Uint8Array | null {
  const data = dataOf(batch, name);
  const values = data.values as Uint8Array;
  const offsets = data.valueOffsets as Int32Array;
  return (record) => (data.getValid(record) ? values.subarray(offsets[record], offsets[record + 1]) : null);
}

function dataOf(batch: RecordBatch, name: string) {
  const data = batch.getChild(name)?.data[0];
  if (data === undefined) throw new TypeError(`the records have no column ${name}`);
  return data;
}
