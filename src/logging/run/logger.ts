import type { EvaluationLogger, Prediction } from "../api.ts";
import { callReference } from "../values/names.ts";
import { checkFinish, checkTrial } from "../values/check-options.ts";
import { droppable, flushRun } from "./deliver.ts";
import { addFailedScore, addScore, setOutput, type Draft } from "./draft.ts";
import { finishRun } from "./finish.ts";
import type { Run } from "./run.ts";
import { endTrial, logWhole, startTrial } from "./trials.ts";

/** The logger of a run. Its functions need no `this`. */
export function createLogger<Row, Output>(run: Run): EvaluationLogger<Row, Output> {
  const finish: EvaluationLogger["finish"] = async (options = {}) => {
    checkFinish(options);
    return await finishRun(run, {
      ...options,
      status: options.error === undefined ? "finished" : "failed",
    });
  };
  return {
    id: run.evaluation.id,
    projectId: run.evaluation.projectId,
    startPrediction: (row, options = {}) => {
      checkTrial(options);
      return predictionOf<Output>(run, startTrial(run, row, options.trial));
    },
    logExample: (example) => droppable(run, logWhole(run, example)),
    flush: () => droppable(run, flushRun(run)),
    finish: (options) => droppable(run, finish(options)),
    [Symbol.asyncDispose]: async () => {
      await finish();
    },
  };
}

function predictionOf<Output>(run: Run, draft: Draft): Prediction<Output> {
  return {
    id: draft.id,
    ref: callReference(run.evaluation.projectId, draft.id),
    trial: draft.number,
    output: (value, details) => setOutput(draft, value, details),
    logScore: (scorer, value, details) => addScore(draft, scorer, value, details),
    failScore: (scorer, error) => addFailedScore(draft, scorer, error),
    finish: () => endTrial(run, draft, "finish"),
    fail: (error) => endTrial(run, draft, "fail", error),
  };
}
