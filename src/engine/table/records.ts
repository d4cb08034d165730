import type { RecordBatch } from "apache-arrow";
import { BOOLEAN, NULL } from "../../model/score-kind.ts";

/** The values of some columns of a batch, record by record. */
export function* recordsOf(batch: RecordBatch, ...names: readonly string[]): Generator<readonly unknown[]> {
  const columns = names.map((name) => batch.getChild(name));
  for (let i = 0; i < batch.numRows; i++) yield columns.map((column) => column?.get(i) as unknown);
}

/** The value of a record of scores, by its `kind` and `number`. */
export function scoreValue(kind: unknown, number: unknown): number | boolean | null {
  if (kind === NULL || number === null) return null;
  return kind === BOOLEAN ? number === 1 : Number(number);
}
