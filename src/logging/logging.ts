import type { Logging, EvaluationLogger, Prediction, ScoreDetails } from "./api.ts";
import { evaluate } from "./evaluate.ts";
import { beginRun, droppable, flushRun, finishRun, endTrial, startTrial } from "./trials.ts";
import { logWhole } from "./whole-trials.ts";
import { evaluationFrom, markers, newRun, type LoggingContext, type Run } from "./run.ts";
import type { CallStore } from "./seam.ts";
import { checkEvaluation, checkProjectArgument, checkFinish, checkTrialNumber } from "./check-options.ts";
import { createOutbox } from "./outbox.ts";
import { callReference, invalidValue } from "./values.ts";
import { addFailedScore, addScore, setOutput, readScore, type Draft } from "./draft.ts";
import { EvalcubeError } from "../errors.ts";
import { scoreRecord, scoreId } from "./call-records.ts";
import { createClock } from "./clock.ts";

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
      checkProjectArgument(projectId);
      checkEvaluation(options);
      const { onWarning = () => undefined, id, resume = false } = options;
      const evaluation = evaluationFrom(projectId, options, store.conventions);
      const run = newRun(context, evaluation, { onWarning, onStored: () => undefined });
      beginRun(run, id !== undefined, resume);
      return loggerOf(run);
    },
    evaluate: (projectId, options) => evaluate(context, projectId, options),
    logScore: (projectId, trialId, scorer, value, details = {}) =>
      addLateScore({ projectId, trialId, scorer }, value, details),
    flush: outbox.flush,
  };
}

/** The logger of a run. Its functions need no `this`. */
function loggerOf<Row, Output>(run: Run): EvaluationLogger<Row, Output> {
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
      checkTrialNumber(options);
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

/** Where a score is to go. */
interface Place {
  readonly projectId: string;
  readonly trialId: string;
  readonly scorer: string;
}

/** Returns a function that adds scores to stored trials, one score of a trial at a time. */
function createLateScores(
  context: LoggingContext,
): (place: Place, value: unknown, details: ScoreDetails) => Promise<void> {
  const underWay = new Set<string>();
  return async (place, value, details) => {
    checkProjectArgument(place.projectId);
    if (typeof place.trialId !== "string" || place.trialId === "")
      throw invalidValue(["predictionId"], "must be a text that is not empty");
    const now = createClock().tick();
    const { score, size } = readScore(place.scorer, value, details, { startedAt: now, endedAt: now });
    const key = JSON.stringify([place.projectId, place.trialId, place.scorer]);
    if (underWay.has(key)) throw hasScore(place);
    underWay.add(key);
    try {
      await add(context, place, score, size);
    } finally {
      underWay.delete(key);
    }
  };
}

async function add(
  { store, outbox }: LoggingContext,
  place: Place,
  score: ReturnType<typeof readScore>["score"],
  size: number,
): Promise<void> {
  const { projectId, trialId, scorer } = place;
  const id = scoreId(trialId, scorer);
  const read = () => store.readTrial(projectId, trialId, scorer, id);
  // A trial that is being written is found when it is durable.
  const trial = (await read()) ?? ((await outbox.flush()) === null ? await read() : null);
  if (trial === null)
    throw new EvalcubeError(
      "not_found",
      `there is no trial ${JSON.stringify(trialId)} in ${projectId}; give the id of its predict-and-score call`,
    );
  if (trial.hasScore) throw hasScore(place);
  const evaluation = { id: trial.evaluationId, projectId, ...markers(store.conventions) };
  const record = scoreRecord(evaluation, trialId, scorer, score, trial.hasCall);
  await outbox.add({ records: [record], size, stored: () => undefined });
}

function hasScore({ trialId, scorer }: Place): EvalcubeError {
  return new EvalcubeError(
    "conflict",
    `trial ${JSON.stringify(trialId)} has a score of ${JSON.stringify(scorer)} already; log it under another name`,
  );
}
