import { EvalcubeError } from "../../errors.ts";
import { authorize, readRequest } from "../read-request.ts";
import type { EvaluationSeam, WeaveCaller } from "../seam.ts";
import { oneRequest, runsRequest, trialsRequest, versionRequest, versionsRequest } from "./requests.ts";
import { evaluationRuns } from "./runs.ts";
import { predictions, scores, trialOfScore } from "./trials.ts";
import { evaluationVersion, evaluationVersions } from "./versions.ts";

/** A request as JSON text -> items as JSON, each with a line end. */
export type WeaveLines = (request: string, caller: WeaveCaller) => AsyncGenerator<string, void, undefined>;
/** A request as JSON text -> one item as JSON. */
export type WeaveItem = (request: string, caller: WeaveCaller) => Promise<string>;

/**
 * What is stored of evaluations, as an SDK exports it. Lists give each item as JSON with a line end, made as they are read;
 * `limit` and `offset` are optional. The others reject with `not_found`. Requests are JSON texts.
 */
export interface WeaveEvaluations {
  /** `{ project_id, evaluation_run_ids, evaluations, models }`: runs, in the order of `engine.listEvaluations`. */
  readonly streamEvaluationRuns: WeaveLines;
  /** `{ project_id, id }`: one run. */
  readonly readEvaluationRun: WeaveItem;
  /** `{ project_id, evaluation_run_id }`: one prediction a trial, by start. */
  readonly streamPredictions: WeaveLines;
  /** `{ project_id, id }`: one prediction. */
  readonly readPrediction: WeaveItem;
  /** `{ project_id, evaluation_run_id }`: scores in the order of predictions, then by key. */
  readonly streamScores: WeaveLines;
  /** `{ project_id, id }`: one score. */
  readonly readScore: WeaveItem;
  /** `{ project_id }`: versions of published evaluations, by name and version. */
  readonly streamEvaluationVersions: WeaveLines;
  /** `{ project_id, object_id, digest }`: one version; `digest` also `latest` or `v<number>`. */
  readonly readEvaluationVersion: WeaveItem;
}

const ALL = { evaluationId: null, trialId: null, predictionId: null, offset: 0, limit: Infinity };

export function createEvaluationReads(seam: EvaluationSeam): WeaveEvaluations {
  return { ...readsOfRuns(seam), ...readsOfTrials(seam), ...readsOfVersions(seam) };
}

type Reads<Name extends keyof WeaveEvaluations> = Pick<WeaveEvaluations, Name>;

function readsOfRuns(seam: EvaluationSeam): Reads<"streamEvaluationRuns" | "readEvaluationRun"> {
  return {
    streamEvaluationRuns: async function* (request, caller) {
      const asked = await readRequest(request, runsRequest, caller);
      authorize(caller, asked.project_id);
      yield* lines(evaluationRuns(seam, asked, caller.signal));
    },
    readEvaluationRun: async (request, caller) => {
      const { project_id, id } = await readOne(request, caller);
      const asked = { project_id, evaluation_run_ids: [id] };
      return firstOf(evaluationRuns(seam, asked, caller.signal), "evaluation run");
    },
  };
}

function readsOfTrials(
  seam: EvaluationSeam,
): Reads<"streamPredictions" | "readPrediction" | "streamScores" | "readScore"> {
  return {
    streamPredictions: async function* (request, caller) {
      const { project_id, ...page } = await readTrialsRequest(request, caller);
      yield* lines(predictions(seam, project_id, page, caller.signal));
    },
    readPrediction: async (request, caller) => {
      const { project_id, id } = await readOne(request, caller);
      const found = predictions(seam, project_id, { ...ALL, predictionId: id }, caller.signal);
      return firstOf(found, "prediction");
    },
    streamScores: async function* (request, caller) {
      const asked = await readTrialsRequest(request, caller);
      const { project_id, offset, limit, ...selection } = asked;
      const all = scores(seam, project_id, { ...selection, offset: 0, limit: Infinity }, caller.signal);
      yield* lines(paged(all, offset, limit));
    },
    readScore: async (request, caller) => {
      const { project_id, id } = await readOne(request, caller);
      const trialId = await trialOfScore(seam, project_id, id, caller.signal);
      if (trialId === null) throw missing("score");
      for await (const text of scores(seam, project_id, { ...ALL, trialId }, caller.signal))
        if ((JSON.parse(text) as { readonly score_id: string }).score_id === id) return text;
      throw missing("score");
    },
  };
}

function readsOfVersions(seam: EvaluationSeam): Reads<"streamEvaluationVersions" | "readEvaluationVersion"> {
  return {
    streamEvaluationVersions: async function* (request, caller) {
      const asked = await readRequest(request, versionsRequest, caller);
      authorize(caller, asked.project_id);
      yield* lines(evaluationVersions(seam.store, asked, caller.signal));
    },
    readEvaluationVersion: async (request, caller) => {
      const asked = await readRequest(request, versionRequest, caller);
      authorize(caller, asked.project_id);
      const found = await evaluationVersion(seam.store, asked, caller.signal);
      if (found === null) throw missing("version of an evaluation");
      return found;
    },
  };
}

async function readOne(request: string, caller: WeaveCaller) {
  const asked = await readRequest(request, oneRequest, caller);
  authorize(caller, asked.project_id);
  return asked;
}

async function readTrialsRequest(request: string, caller: WeaveCaller) {
  const {
    project_id,
    evaluation_run_id: id,
    offset,
    limit,
  } = await readRequest(request, trialsRequest, caller);
  authorize(caller, project_id);
  return { ...ALL, project_id, evaluationId: id ?? null, offset: offset ?? 0, limit: limit ?? Infinity };
}

async function* lines(items: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  for await (const item of items) yield `${item}\n`;
}

async function* paged(items: AsyncIterable<string>, offset: number, limit: number) {
  let met = 0;
  if (limit === 0) return;
  for await (const item of items) {
    if (met++ >= offset) yield item;
    if (met >= offset + limit) return;
  }
}

async function firstOf(items: AsyncIterable<string>, what: string): Promise<string> {
  for await (const item of items) return item;
  throw missing(what);
}

function missing(what: string): EvalcubeError {
  return new EvalcubeError("not_found", `There is no ${what} with this id in this project.`);
}
