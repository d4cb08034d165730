import type { z } from "zod";
import { stopWith } from "../../flow/stop-with.ts";
import type { WeaveCaller } from "../../weave/request/seam.ts";
import { predictionReply, runReply, scoreReply, versionReply } from "../../weave/evaluations/requests.ts";
import type { Weave } from "../../weave/weave.ts";
import type { Principal } from "../keys/key-ring.ts";
import { countParameter, projectOfPath, segment } from "../routes/read-request.ts";
import type { ProtectedRoute, RouteRequest } from "../routes/route.ts";
import type { Service } from "../routes/service.ts";
import { jsonAnswer, type Answer } from "../wire/answer.ts";
import { answerInPieces } from "../wire/streamed-answer.ts";
import { workOf } from "./weave-route.ts";

const OF_PROJECT = "/v2/{entity}/{project}";
const LINES = ["application/jsonl", "application/x-ndjson"] as const;
const COUNT = { type: "integer", minimum: 0 };
const TEXTS = { type: "array", items: { type: "string" } };

type Stream = (request: string, caller: WeaveCaller) => AsyncGenerator<string, void, undefined>;

/** Which of the two types of lines the sender of a request names first; undefined where he names neither. */
function linesType(accept: string | null): string | undefined {
  const named = LINES.filter((type) => accept?.toLowerCase().includes(type));
  return named.toSorted((a, b) => (accept ?? "").indexOf(a) - (accept ?? "").indexOf(b))[0];
}

/** Answers with a line for each item of a list, which the parameters of the address narrow. */
async function answerLines(
  service: Service,
  request: RouteRequest,
  principal: Principal,
  stream: (weave: Weave) => Stream,
  names: Readonly<Record<string, boolean>>,
): Promise<Answer> {
  const { weave, caller } = workOf(service, request, principal);
  const parameters = new URL(request.raw.url).searchParams;
  const narrowing = Object.entries(names).flatMap(([name, isList]) => {
    const values = parameters.getAll(name);
    return values.length === 0 ? [] : [[name, isList ? values : values.at(-1)]];
  });
  const asked = {
    project_id: projectOfPath(request, principal),
    ...(Object.fromEntries(narrowing) as Record<string, unknown>),
    limit: countParameter(request, "limit"),
    offset: countParameter(request, "offset"),
  };
  const stop = stopWith(request.raw.signal);
  const pieces = stream(weave)(JSON.stringify(asked), { ...caller, signal: stop.signal });
  const type = linesType(request.raw.headers.get("accept")) ?? LINES[0];
  return answerInPieces(pieces, { trace: request.trace, stop, type });
}

interface ListOperation {
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly reply: z.ZodType;
  readonly example: object;
  /** Names of parameters, and whether each may be repeated. */
  readonly names: Readonly<Record<string, boolean>>;
  readonly stream: (weave: Weave) => Stream;
}

function listRoute({ path, names, stream, example, summary, ...operation }: ListOperation): ProtectedRoute {
  const parameters = Object.entries({ ...names, limit: null, offset: null }).map(([name, isList]) => ({
    name,
    in: "query",
    schema: isList === null ? COUNT : isList ? TEXTS : { type: "string" },
  }));
  return {
    ...operation,
    method: "GET",
    path: `${OF_PROJECT}/${path}`,
    access: "basic",
    reads: true,
    summary: `${summary}, each as JSON on a line of its own`,
    parameters,
    replyType: LINES[0],
    example: { reply: example },
    run: (service, request, principal) => answerLines(service, request, principal, stream, names),
  };
}

/** An item by the names in its path: `id`, or `object_id` and `digest`. */
function readRoute(
  path: string,
  { id, summary, reply, example }: Pick<ListOperation, "id" | "summary" | "reply" | "example">,
  read: (weave: Weave) => (request: string, caller: WeaveCaller) => Promise<string>,
): ProtectedRoute {
  const names = Array.from(path.matchAll(/\{([^{}]+)\}/g), ([, name = ""]) => name);
  return {
    method: "GET",
    path: `${OF_PROJECT}/${path}`,
    access: "basic",
    reads: true,
    id,
    summary,
    reply,
    example: { reply: example },
    async run(service, request, principal) {
      const { weave, caller } = workOf(service, request, principal);
      const named = Object.fromEntries(names.map((name) => [name, segment(request, name)]));
      const asked = { project_id: projectOfPath(request, principal), ...named };
      const { signal } = stopWith(request.raw.signal);
      return jsonAnswer(await read(weave)(JSON.stringify(asked), { ...caller, signal }));
    },
  };
}

const run = {
  reply: runReply,
  example: {
    evaluation_run_id: "run-1",
    evaluation: "weave:///acme/qa/object/capitals:v1",
    model: "weave:///acme/qa/object/small:v1",
    status: "completed",
    started_at: "2026-01-31T12:00:00.000000Z",
    finished_at: "2026-01-31T12:00:10.000000Z",
    summary: { weave: { status: "success" } },
    source_evaluation_run_id: null,
  },
};

const prediction = {
  reply: predictionReply,
  example: {
    prediction_id: "predict-1",
    model: "weave:///acme/qa/object/small:v1",
    inputs: { question: "What is 2 + 2?" },
    output: "4",
    evaluation_run_id: "run-1",
    wb_user_id: "ann",
  },
};

const score = {
  reply: scoreReply,
  example: {
    score_id: "score-1",
    scorer: "weave:///acme/qa/op/correct:v1",
    value: true,
    evaluation_run_id: "run-1",
    prediction_id: "predict-1",
    wb_user_id: "ann",
  },
};

const version = {
  reply: versionReply,
  example: {
    object_id: "capitals",
    digest: "YTYlqmU0Pbsbmr5qusZ3P1yRvWDT8vX34urmnh24sic",
    version_index: 0,
    created_at: "2026-01-31T12:00:00.000000Z",
    name: "capitals",
    description: null,
    dataset: "weave:///acme/qa/object/rows:v1",
    scorers: ["weave:///acme/qa/op/correct:v1"],
    trials: 1,
    evaluation_name: null,
    evaluate_op: null,
    predict_and_score_op: null,
    summarize_op: null,
  },
};

const ofRun = { evaluation_run_id: false };

export const evaluationRoutes = [
  listRoute({
    ...run,
    path: "evaluation_runs",
    id: "weaveListEvaluationRuns",
    summary: "Evaluations by start",
    names: { evaluation_run_ids: true, evaluations: true, models: true },
    stream: (weave) => weave.streamEvaluationRuns,
  }),
  readRoute(
    "evaluation_runs/{id}",
    { ...run, id: "weaveReadEvaluationRun", summary: "One evaluation" },
    (weave) => weave.readEvaluationRun,
  ),
  listRoute({
    ...prediction,
    path: "predictions",
    id: "weaveListPredictions",
    summary: "Predictions of trials by start",
    names: ofRun,
    stream: (weave) => weave.streamPredictions,
  }),
  readRoute(
    "predictions/{id}",
    { ...prediction, id: "weaveReadPrediction", summary: "One prediction" },
    (weave) => weave.readPrediction,
  ),
  listRoute({
    ...score,
    path: "scores",
    id: "weaveListScores",
    summary: "Scores of trials by start, then key",
    names: ofRun,
    stream: (weave) => weave.streamScores,
  }),
  readRoute(
    "scores/{id}",
    { ...score, id: "weaveReadScore", summary: "One score" },
    (weave) => weave.readScore,
  ),
  readRoute(
    "evaluations/{object_id}/versions/{digest}",
    { ...version, id: "weaveReadEvaluation", summary: "One version of a published evaluation" },
    (weave) => weave.readEvaluationVersion,
  ),
];

const CLIENT = /^(?:Async)?WeaveTrace\/Python /;

/**
 * The list of evaluations as versions of published ones, in lines, where lines are asked for or the client of the SDKs
 * asks; else as it is.
 */
export function withVersions(route: ProtectedRoute): ProtectedRoute {
  return {
    ...route,
    async run(service, request, principal) {
      const { headers } = request.raw;
      const isLines =
        linesType(headers.get("accept")) !== undefined || CLIENT.test(headers.get("user-agent") ?? "");
      const answer = isLines
        ? await answerLines(service, request, principal, (weave) => weave.streamEvaluationVersions, {})
        : await route.run(service, request, principal);
      return { ...answer, headers: { ...answer.headers, vary: "accept, user-agent" } };
    },
  };
}
