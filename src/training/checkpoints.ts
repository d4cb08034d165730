import { randomUUID } from "node:crypto";
import { RequestError } from "../errors.ts";
import type { StoredCheckpoint, TrainingStore } from "./store.ts";

/** A stored checkpoint, and the names of metrics that were no finite numbers and have been dropped. */
export type AddedCheckpoint = StoredCheckpoint & { readonly dropped_metrics: readonly string[] };

/** A checkpoint as a trainer tells of it. */
export interface NewCheckpoint {
  readonly step: number;
  readonly metrics?: Readonly<Record<string, number>>;
}

/** Stores a checkpoint durably. Throws `RequestError` on a step that is no integer. */
export async function addCheckpoint(
  store: TrainingStore,
  modelId: string,
  { step, metrics = {} }: NewCheckpoint,
): Promise<AddedCheckpoint> {
  if (!Number.isSafeInteger(step)) {
    throw new RequestError("schema", [{ loc: ["step"], msg: "must be an integer", type: "invalid_type" }]);
  }
  const entries = Object.entries(metrics);
  const finite = entries.filter(([, value]) => Number.isFinite(value));
  const dropped = entries.filter(([, value]) => !Number.isFinite(value)).map(([name]) => name);
  const checkpoint = { id: randomUUID(), step, metrics: Object.fromEntries(finite) };
  await store.insertCheckpoint(modelId, checkpoint);
  return { ...checkpoint, dropped_metrics: dropped };
}
