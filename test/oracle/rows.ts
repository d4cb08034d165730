import { isDatasetReference, rowDigest } from "./digests.ts";
import type { Json } from "./json.ts";
import { byCodePoint } from "./order.ts";
import type { Trial } from "./trials.ts";

// Trials in request order of their evaluations, then by start and id.
export type Row = {
  readonly digest: string;
  readonly trials: readonly Trial[];
};

export function groupRows(trials: readonly Trial[]): Row[] {
  const groups = new Map<string, Trial[]>();
  for (const trial of trials) {
    const digest = rowDigest(trial.example);
    groups.set(digest, [...(groups.get(digest) ?? []), trial]);
  }
  return [...groups]
    .map(([digest, members]) => ({ digest, trials: members }))
    .sort((left, right) => byCodePoint(left.digest, right.digest));
}

export function isInEvery(row: Row, evaluationIds: readonly string[]): boolean {
  return evaluationIds.every((id) => row.trials.some((trial) => trial.evaluationId === id));
}

// What `inputs.` fields read: the stored dataset row, else the first inline example.
export function datasetRowOf(row: Row, stored: ReadonlyMap<string, Json>): Json {
  const known = stored.get(row.digest);
  if (known !== undefined) return known;
  return row.trials.find((trial) => !isDatasetReference(trial.example))?.example ?? null;
}
