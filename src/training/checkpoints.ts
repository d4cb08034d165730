import { randomUUID } from "node:crypto";
import { z } from "zod";
import { checkArgument } from "../model/arguments.ts";
import type { TrainingStore } from "./sql-store.ts";
import type { StoredCheckpoint } from "./stored.ts";

/** A stored checkpoint. */
export interface AddedCheckpoint extends StoredCheckpoint {
  /** Names of metrics that were left out because they were not finite numbers. */
  readonly dropped_metrics: readonly string[];
}

/** A checkpoint to be stored. */
export interface NewCheckpoint {
  /** Training step, an integer. */
  readonly step: number;
  /** Metrics by name; those that are not finite are dropped. */
  readonly metrics?: Readonly<Record<string, number>> | undefined;
}

const checkpointSchema = z.strictObject({
  step: z.custom<number>(Number.isSafeInteger, "must be an integer"),
  metrics: z
    .record(
      z.string(),
      z.custom<number>((value) => typeof value === "number", "must be a number"),
    )
    .optional(),
});

/** Stores a checkpoint durably. Throws `RequestError` on one that does not conform to {@link NewCheckpoint}. */
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
