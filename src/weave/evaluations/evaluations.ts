import type { z } from "zod";
import { EvalcubeError } from "../../errors.ts";
import { authorize, readRequest } from "../request/read-request.ts";
import type { EvaluationSeam, WeaveCaller } from "../request/seam.ts";
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
  const { store } = seam;
  return {
    streamEvaluationRuns: list(runsRequest, (asked, signal) =>
      paged(evaluationRuns(seam, asked, signal), asked),
    ),
    readEvaluationRun: item("evaluation run", oneRequest, ({ project_id, id }, signal) =>
      evaluationRuns(seam, { project_id, evaluation_run_ids: [id] }, signal),
    ),
    streamPredictions: list(
      trialsRequest,
      ({ project_id, evaluation_run_id: run, offset, limit }, signal) => {
        const page = { ...ALL, evaluationId: run ?? null, offset: offset ?? 0, limit: limit ?? Infinity };
        return predictions(seam, project_id, page, signal);
      },
    ),
    readPrediction: item("prediction", oneRequest, ({ project_id, id }, signal) =>
      predictions(seam, project_id, { ...ALL, predictionId: id }, signal),
    ),
    streamScores: list(trialsRequest, ({ project_id, evaluation_run_id: run, ...page }, signal) =>
      paged(scores(seam, project_id, { ...ALL, evaluationId: run ?? null }, signal), page),
    ),
    readScore: item("score", oneRequest, async function* ({ project_id, id }, signal) {
      const trialId = await trialOfScore(seam, project_id, id, signal);
      if (trialId === null) return;
      for await (const text of scores(seam, project_id, { ...ALL, trialId }, signal))
        if ((JSON.parse(text) as { readonly score_id: string }).score_id === id) yield text;
    }),
    streamEvaluationVersions: list(versionsRequest, (asked, signal) =>
      paged(evaluationVersions(store, asked.project_id, signal), asked),
    ),
    readEvaluationVersion: item("version of an evaluation", versionRequest, async function* (asked, signal) {
      const found = await evaluationVersion(store, asked, signal);
      if (found !== null) yield found;
    }),
  };
}

type Asked = { readonly project_id: string };
type Items<T> = (asked: T, signal: AbortSignal | undefined) => AsyncIterable<string>;

/** Answers a request, once it may be asked, with a line for each item. */
function list<T extends Asked>(schema: z.ZodType<T>, items: Items<T>): WeaveLines {
  return async function* (request, caller) {
    for await (const one of items(await readAsked(request, schema, caller), caller.signal)) yield `${one}\n`;
  };
}

/** Answers with the first item. */
function item<T extends Asked>(what: string, schema: z.ZodType<T>, items: Items<T>): WeaveItem {
  return async (request, caller) => {
    for await (const one of items(await readAsked(request, schema, caller), caller.signal)) return one;
    throw new EvalcubeError("not_found", `There is no ${what} with this id in this project.`);
  };
}

async function readAsked<T extends Asked>(
  request: string,
  schema: z.ZodType<T>,
  caller: WeaveCaller,
): Promise<T> {
  const asked = await readRequest(request, schema, caller);
  authorize(caller, asked.project_id);
  return asked;
}

interface ListPage {
  readonly offset?: number | null | undefined;
  readonly limit?: number | null | undefined;
}

async function* paged(items: AsyncIterable<string>, { offset, limit }: ListPage) {
  const from = offset ?? 0;
  const to = limit == null ? Infinity : from + limit;
  let met = 0;
  if (to <= from) return;
  for await (const one of items) {
    if (met++ >= from) yield one;
    if (met >= to) return;
  }
}
