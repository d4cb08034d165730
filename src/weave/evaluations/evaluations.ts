import type { z } from "zod";
import { EvalcubeError } from "../../errors.ts";
import { authorize, readRequest } from "../request/read-request.ts";
import type { EvaluationSeam, WeaveCaller } from "../request/seam.ts";
import { writeMembers } from "../../model/member-texts.ts";
import { lineMembers } from "../calls/call-line.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../model/json.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import { sql } from "../../store/sql.ts";
import type { RecordStore } from "../../store/session.ts";
import { findVersion, type ObjectVersion, selectVersions, versionValues } from "../objects/versions.ts";
import { oneRequest, runsRequest, trialsRequest, versionRequest, versionsRequest } from "./requests.ts";
import { predictions, scores, trialOfScore } from "./trials.ts";
import { membersOf } from "./stored-call.ts";

/** A request as JSON text -> items as JSON, each with a line end. */
export type WeaveLines = (request: string, caller: WeaveCaller) => AsyncGenerator<string, void, undefined>;
/** A request as JSON text -> one item as JSON. */
export type WeaveItem = (request: string, caller: WeaveCaller) => Promise<string>;

/**
 * What is stored of evaluations, as an SDK exports it. Lists give each item as JSON with a line end, made as they are
 * read; `limit` and `offset` are optional. The others reject with `not_found`. Requests are JSON texts.
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

const PART = 200;

type Listed = Awaited<ReturnType<EvaluationSeam["listEvaluations"]>>[number];

/**
 * The evaluations of a project that a request selects, whatever its page is, as JSON texts, in the order of the list of
 * evaluations.
 */
async function* evaluationRuns(
  seam: EvaluationSeam,
  asked: z.output<typeof runsRequest>,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  const { project_id: projectId, evaluation_run_ids: ids, evaluations, models } = asked;
  const wanted = ids == null ? null : new Set(ids);
  const listed = (await seam.listEvaluations(projectId, signal === undefined ? {} : { signal })).filter(
    ({ id }) => wanted?.has(id) ?? true,
  );
  for (let at = 0; at < listed.length; at += PART) {
    const part = listed.slice(at, at + PART);
    const roots = await seam.stored.calls(
      projectId,
      part.map(({ id }) => id),
      signal,
    );
    for (const one of part) {
      const run = runOf(one, roots.get(one.id), seam.stored.namespaces);
      if (evaluations != null && !evaluations.includes(run.evaluation)) continue;
      if (models != null && !models.includes(run.model)) continue;
      yield writeRun(run, roots.get(one.id));
    }
  }
}

function runOf(listed: Listed, root: string | undefined, namespaces: readonly string[]) {
  const { text, attribute } = membersOf(root, namespaces);
  return {
    evaluation_run_id: listed.id,
    evaluation: text("inputs", "self") ?? text("inputs", "this") ?? attribute("evaluation") ?? "",
    model: text("inputs", "model") ?? attribute("model") ?? "",
    status: listed.ended_at === null ? "running" : listed.exception === null ? "completed" : "failed",
    started_at: listed.started_at,
    finished_at: listed.ended_at,
    source_evaluation_run_id: attribute("source_evaluation_run_id"),
  };
}

function writeRun(run: ReturnType<typeof runOf>, root: string | undefined): string {
  const members = new Map(Object.entries(run).map(([name, value]) => [name, JSON.stringify(value)]));
  const summary = root === undefined ? "null" : (lineMembers(root, null).get("summary") ?? "null");
  return writeMembers(members.set("summary", summary));
}

/** The versions of evaluations of a project, as JSON texts, by object and version. */
async function* evaluationVersions(
  store: RecordStore,
  projectId: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  const where = sql` AND kind <> 'op' AND coalesce(base_object_class, 'Evaluation') = 'Evaluation'`;
  const found = await store.read(
    (session) => session.all(selectVersions(projectId, { where, withValues: false })),
    signal,
  );
  for await (const [version, val = null] of versionValues(store, projectId, found, signal)) {
    const text = writeEvaluation({ ...version, val });
    if (text !== null) yield text;
  }
}

/** One version as JSON text; null where it is none of an evaluation. */
async function evaluationVersion(
  store: RecordStore,
  { project_id: projectId, object_id: objectId, digest }: z.output<typeof versionRequest>,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const found = await store.read((session) => findVersion(session, projectId, objectId, digest), signal);
  return found === undefined ? null : writeEvaluation(found);
}

function writeEvaluation({ base_object_class: base, val: stored, ...version }: ObjectVersion): string | null {
  const parsed = parseJson(stored ?? "null");
  const val: JsonObject = isJsonObject(parsed) ? parsed : {};
  if ((base ?? val["_class_name"]) !== "Evaluation") return null;
  const text = (name: string) => (typeof val[name] === "string" ? val[name] : null);
  const { scorers, trials } = val;
  return JSON.stringify({
    object_id: version.object_id,
    digest: version.digest,
    version_index: version.version_index,
    created_at: formatTimestamp(version.created_at),
    name: text("name") ?? version.object_id,
    description: text("description"),
    dataset: text("dataset") ?? "",
    scorers: Array.isArray(scorers) ? scorers.filter((one) => typeof one === "string") : [],
    trials: Number.isSafeInteger(trials) ? trials : 1,
    evaluation_name: text("evaluation_name"),
    evaluate_op: text("evaluate"),
    predict_and_score_op: text("predict_and_score"),
    summarize_op: text("summarize"),
  });
}
