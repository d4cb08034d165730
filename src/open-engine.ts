import { z } from "zod";
import { openCore, type EngineOptions as CoreOptions } from "./engine/engine.ts";
import { createFeedback } from "./feedback/feedback.ts";
import { createSqlFeedbackStore } from "./feedback/sql-store.ts";
import { checkArgument, functionOf } from "./model/arguments.ts";
import { createSqlUsageSink } from "./inference/usage/sql-usage.ts";
import type { JobHook } from "./training/jobs.ts";
import { createSqlTrainingStore } from "./training/sql-store.ts";
import { createTraining, type TrainingOptions } from "./training/training.ts";

export interface EngineOptions extends CoreOptions, TrainingOptions {
  /** Told when usage records could not be written; they are lost then. */
  readonly onUsageError?: (error: unknown) => void;
}

const hooks = z.looseObject({
  onJob: functionOf<JobHook>().optional(),
  onUsageError: functionOf<(error: unknown) => void>().optional(),
});

/**
 * Opens a database of evaluations, with the feedback, training and usage records that are kept beside them.
 * Throws `StoreError` on a foreign, newer or locked file, which stays as it is.
 */
export async function openEngine(options: EngineOptions = {}) {
  checkArgument(options, hooks);
  const { store, close, ...core } = await openCore(options);
  const usage = createSqlUsageSink(store, options.onUsageError);
  return {
    ...core,
    feedback: createFeedback(createSqlFeedbackStore(store)),
    training: createTraining(createSqlTrainingStore(store), options),
    usage,
    close: async () => {
      await usage.flush();
      await close();
    },
  };
}

/** One open database. Close it when done. */
export type Engine = Awaited<ReturnType<typeof openEngine>>;
