import { randomUUID } from "node:crypto";
import { z } from "zod";
import { checkArgument } from "../model/arguments.ts";
import type { StoredCheckpoint, TrainingStore } from "./store.ts";

/** A stored checkpoint, and the names of metrics that were no finite numbers and have been dropped. */
export type AddedCheckpoint = StoredCheckpoint & { readonly dropped_metrics: readonly string[] };

/** A checkpoint as a trainer tells of it. */
export interface NewCheckpoint {
  readonly step: number;
  readonly metrics?: Readonly<Record<string, number>>;
}

const checkpointSchema = z.object({
  step: z.custom<number>(Number.isSafeInteger, "must be an integer"),
  metrics: z
    .record(
      z.string(),
      z.custom<number>((value) => typeof value === "number", "must be a number"),
    )
    .optional(),
});

/** Stores a checkpoint durably. Throws `RequestError` on one that is not as {@link NewCheckpoint} says. */
export async function addCheckpoint(
  store: TrainingStore,
  modelId: string,
  checkpoint: NewCheckpoint,
): Promise<AddedCheckpoint> {
  const { step, metrics = {} } = checkArgument(checkpoint, checkpointSchema);
  const entries = Object.entries(metrics);
  const finite = entries.filter(([, value]) => Number.isFinite(value));
  const dropped = entries.filter(([, value]) => !Number.isFinite(value)).map(([name]) => name);
  const stored = { id: randomUUID(), step, metrics: Object.fromEntries(finite) };
  await store.insertCheckpoint(modelId, stored);
  return { ...stored, dropped_metrics: dropped };
}
