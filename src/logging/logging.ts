import type { Logging, EvaluationLogger, Prediction, ScoreDetails } from "./api.ts";
import { evaluate } from "./evaluate.ts";
import { beginRun, droppable, flushRun, finishRun, endTrial, startTrial } from "./trials.ts";
import { logWhole } from "./whole-trials.ts";
import { closeLogging } from "./close-logging.ts";
import {
  createContext,
  evaluationFrom,
  markers,
  newRun,
  refuseClosed,
  type LoggingContext,
  type Run,
} from "./run.ts";
import type { CallStore } from "./seam.ts";
import { checkEvaluation, checkProjectArgument, checkFinish, checkTrialNumber } from "./check-options.ts";
import { callReference, invalidValue } from "./values.ts";
import { addFailedScore, addScore, setOutput, readScore, type Draft } from "./draft.ts";
import { EvalcubeError } from "../errors.ts";
import { scoreRecord, scoreId } from "./call-records.ts";
import { createClock } from "./clock.ts";
import { createStepLog } from "./step-log.ts";

/** The members of an engine that log evaluations, and what closing the engine needs of them. */
interface OpenLogging extends Logging {
  /**
   * Refuses calls of loggers from now on, and ends what `evaluate` runs. Resolves when all that was logged before is
   * durable, trials under way as they stand, or to the error that says how many trials are not.
   */
  readonly close: () => Promise<EvalcubeError | null>;
}

export function createLogging(store: CallStore): OpenLogging {
  const context = createContext(store);
  const addLateScore = createLateScores(context);
  return {
    startEvaluation: (projectId, options) => {
      refuseClosed(context);
      checkProjectArgument(projectId);
      checkEvaluation(options);
      const { onWarning = () => undefined, id, resume = false } = options;
      const evaluation = evaluationFrom(projectId, options, store.conventions);
      const run = newRun(context, evaluation, { onWarning, onStored: () => undefined }, options.rowKey);
      beginRun(run, id !== undefined, resume);
      return loggerOf(run);
    },
    evaluate: (projectId, options) => evaluate(context, projectId, options),
    logScore: (projectId, trialId, scorer, value, details = {}) =>
      context.underWay.track(addLateScore({ projectId, trialId, scorer }, value, details)),
    close: () => closeLogging(context),
  };
}

/** The logger of a run. Its functions need no `this`. */
function loggerOf<Row, Output>(run: Run): EvaluationLogger<Row, Output> {
  const finish: EvaluationLogger["finish"] = async (options = {}) => {
    checkFinish(options);
    if (run.finishing === null) refuseClosed(run.context);
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
    logExample: (example) => droppable(run, logWhole(run, example), 1),
    flush: () => droppable(run, flushRun(run)),
    finish: (options) => droppable(run, finish(options)),
    [Symbol.asyncDispose]: async () => {
      await finish();
    },
  };
}

function predictionOf<Output>(run: Run, draft: Draft): Prediction<Output> {
  const whileOpen = <T>(work: () => T): T => {
    refuseClosed(run.context);
    return work();
  };
  return {
    id: draft.id,
    ref: callReference(run.evaluation.projectId, draft.id),
    trial: draft.number,
    output: (value, details) => whileOpen(() => setOutput(draft, value, details)),
    logScore: (scorer, value, details) => whileOpen(() => addScore(draft, scorer, value, details)),
    failScore: (scorer, error) => whileOpen(() => addFailedScore(draft, scorer, error)),
    finish: () => endTrial(run, draft, "finish"),
    fail: (error) => endTrial(run, draft, "fail", error),
    ...createStepLog(run, draft),
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
    refuseClosed(context);
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
  const evaluation = { id: trial.evaluationId, projectId, scorers: new Map(), ...markers(store.conventions) };
  const record = scoreRecord(evaluation, trialId, scorer, score, trial.hasCall);
  await outbox.add({ records: [record], size, trials: 0, stored: () => undefined });
}

function hasScore({ trialId, scorer }: Place): EvalcubeError {
  return new EvalcubeError(
    "conflict",
    `trial ${JSON.stringify(trialId)} has a score of ${JSON.stringify(scorer)} already; log it under another name`,
  );
}
