import type { Logging } from "./api.ts";
import { evaluate } from "./evaluate/evaluate.ts";
import { createLateScores } from "./late-score.ts";
import { openRun } from "./run/deliver.ts";
import { evaluationOf } from "./run/evaluation.ts";
import { createLogger } from "./run/logger.ts";
import { createRun, type LoggingContext } from "./run/run.ts";
import type { CallStore } from "./seam.ts";
import { checkEvaluation, checkProject } from "./values/check-options.ts";
import { createOutbox } from "./write/outbox.ts";

/** The members of an engine that log evaluations, and what closing the engine needs of them. */
interface OpenLogging extends Logging {
  /** Tries once more to write what waits; resolves to the error where something could not be written, else to null. */
  readonly flush: () => Promise<unknown>;
}

export function createLogging(store: CallStore): OpenLogging {
  const outbox = createOutbox(store.write);
  const context: LoggingContext = { store, outbox };
  const addLateScore = createLateScores(context);
  return {
    startEvaluation: (projectId, options) => {
      checkProject(projectId);
      checkEvaluation(options);
      const { onWarning = () => undefined, id, resume = false } = options;
      const evaluation = evaluationOf(projectId, options, store.conventions);
      const run = createRun(context, evaluation, { onWarning, onStored: () => undefined });
      openRun(run, id !== undefined, resume);
      return createLogger(run);
    },
    evaluate: (projectId, options) => evaluate(context, projectId, options),
    logScore: (projectId, trialId, scorer, value, details = {}) =>
      addLateScore({ projectId, trialId, scorer }, value, details),
    flush: outbox.flush,
  };
}
