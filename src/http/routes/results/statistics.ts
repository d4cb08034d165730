import { agreementRequestWire, type AgreementRequest } from "../../../request/agreement-request.ts";
import { historyRequestWire, type HistoryRequest } from "../../../request/history-request.ts";
import { itemsRequestWire, type ItemsRequest } from "../../../request/items-request.ts";
import { planRequestWire, type PlanRequest } from "../../../request/plan-request.ts";
import { leaderboardRequestWire, type LeaderboardRequest } from "../../../request/leaderboard-request.ts";
import { jsonAnswer } from "../../wire/answer.ts";
import { NAMES_PARAMETER, readProjectRequest } from "../read-request.ts";
import type { ProtectedRoute } from "../route.ts";
import type { ServiceEngine } from "../service.ts";
import { agreementSchema } from "./agreement-reply.ts";
import { historySchema } from "./history-reply.ts";
import { itemsSchema } from "./items-reply.ts";
import { planSchema } from "./plan-reply.ts";
import { leaderboardSchema } from "./leaderboard-reply.ts";
import { stepsRequestWire, type StepsRequest } from "../../../request/steps-request.ts";
import { stepsSchema } from "./steps-reply.ts";

/** What one of these routes asks of the library. */
type Ask = (
  engine: ServiceEngine,
  project: string,
  request: unknown,
  options: { readonly signal: AbortSignal },
) => Promise<unknown>;

/** A route whose body and answer are those of the library. */
export function statistic(
  name: string,
  ask: Ask,
  description: Pick<ProtectedRoute, "id" | "summary" | "body" | "reply" | "example">,
): ProtectedRoute {
  return {
    method: "POST",
    path: `/v2/{entity}/{project}/eval_results/${name}`,
    access: "basic",
    reads: true,
    parameters: [NAMES_PARAMETER],
    ...description,
    async run(service, asked, principal) {
      const { projectId, request, stop } = await readProjectRequest(service, asked, principal);
      const { signal } = stop;
      return jsonAnswer(JSON.stringify(await ask(service.engine, projectId, request, { signal })));
    },
  };
}

const comparing = { confidence: 0.95, warnings: [] };
const boarded = { dimensions: [], headline: null, entries: [] };

/** Statistics of a project, beside comparisons. */
export const statisticRoutes: readonly ProtectedRoute[] = [
  statistic(
    "leaderboard",
    (engine, project, request, options) =>
      engine.leaderboard(project, request as LeaderboardRequest, options),
    {
      id: "leaderboard",
      summary: "Evaluations or models in order, the best first",
      body: leaderboardRequestWire,
      reply: leaderboardSchema,
      example: {
        request: { scorers: ["correct"] },
        reply: {
          by: "evaluation",
          ...boarded,
          ...comparing,
          adjust: "ranges",
          family_size: 0,
          row_count: 0,
        },
      },
    },
  ),
  statistic(
    "history",
    (engine, project, request, options) => engine.history(project, request as HistoryRequest, options),
    {
      id: "history",
      summary: "The evaluations of one name, and since when they are worse",
      body: historyRequestWire,
      reply: historySchema,
      example: {
        request: { name: "sums", scorers: ["correct"] },
        reply: { name: "sums", ...boarded, ...comparing, adjust: "holm", cut: [], worse_since: null },
      },
    },
  ),
  statistic(
    "plan",
    (engine, project, request, options) => engine.planRows(project, request as PlanRequest, options),
    {
      id: "planRows",
      summary: "How many rows a run needs to find a difference",
      body: planRequestWire,
      reply: planSchema,
      example: {
        request: { detect: 0.05, rate: 0.7, trials: [1] },
        reply: {
          scorer_key: null,
          path: null,
          rate: true,
          detect: 0.05,
          power: 0.8,
          level: 0.05,
          from: { evaluation_call_ids: [], row_count: 0, trials_per_row: 0 },
          mean: 0.7,
          between: 0,
          within: 0.21,
          correlation: 0,
          plans: [{ trials: 1, rows: 1379, calls: 2758, found: 0.8 }],
          cheaper: 1,
          notes: [],
        },
      },
    },
  ),
  statistic(
    "items",
    (engine, project, request, options) => engine.items(project, request as ItemsRequest, options),
    {
      id: "items",
      summary: "What each row tells of some evaluations",
      body: itemsRequestWire,
      reply: itemsSchema,
      example: {
        request: { evaluations: ["run-1", "run-2"], scorer: "correct" },
        reply: {
          scorer_key: "correct",
          path: null,
          evaluations: ["run-1", "run-2"],
          confidence: 0.95,
          row_count: 0,
          counts: { all_right: 0, none_right: 0, negative: 0, unstable: 0, nothing_apart: 0 },
          rows: [],
          sentence: "No row has a value of this score.",
          warnings: [],
        },
      },
    },
  ),
  statistic(
    "steps",
    (engine, project, request, options) => engine.steps(project, request as StepsRequest, options),
    {
      id: "steps",
      summary: "What agents did inside trials: tools, one trial, or where attempts differ",
      body: stepsRequestWire,
      reply: stepsSchema,
      example: {
        request: { evaluation_call_ids: ["run-1"], view: "diff" },
        reply: {
          view: "diff",
          success: "correct",
          totals: { rows: 0, trials: 0, identical: 0, median_index: null, at: [], instead: [] },
          pair_count: 0,
          pairs: [],
          warnings: [],
        },
      },
    },
  ),
  statistic(
    "agreement",
    (engine, project, request, options) => engine.agreement(project, request as AgreementRequest, options),
    {
      id: "agreement",
      summary: "How far two scores agree, trial by trial",
      body: agreementRequestWire,
      reply: agreementSchema,
      example: {
        request: { evaluations: ["run-1"], a: "feedback.correct", b: "judge.correct" },
        reply: {
          a: { scorer_key: "feedback", path: "correct", value_type: "binary" },
          b: { scorer_key: "judge", path: "correct", value_type: "binary" },
          confidence: 0.95,
          n_both: 4,
          n_only_a: 0,
          n_only_b: 0,
          n_tied: 0,
          row_count: 4,
          raw_agreement: 0.75,
          raw_agreement_interval: [0.25, 1],
          cohen_kappa: 0.5,
          cohen_kappa_interval: [-0.5, 1],
          weighted_kappa: null,
          krippendorff_alpha: 0.53,
          confusion_matrix: {
            categories: [false, true],
            counts: [
              [1, 1],
              [0, 2],
            ],
          },
          judge: null,
          pearson: 0.58,
          spearman: 0.58,
          kendall_tau_b: 0.58,
          corrected_means: [],
          bootstrap: null,
          warnings: [],
        },
      },
    },
  ),
];
