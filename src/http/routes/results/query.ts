import { evalResultsRequest } from "../../../request/wire.ts";
import type { OperationExample } from "../../openapi/operation.ts";
import { answerInPieces } from "../../wire/streamed-answer.ts";
import { evalResultsSchema } from "./query-reply.ts";
import { NAMES_PARAMETER, readProjectRequest } from "../read-request.ts";
import type { ProtectedRoute } from "../route.ts";

const trial = {
  predict_and_score_call_id: "trial-1",
  predict_call_id: null,
  model_output: "4",
  scores: { correct: true, judge: { helpfulness: 0.9 } },
  model_latency_seconds: 0.8,
  total_tokens: 42,
  scorer_call_ids: {},
  total_cost: null,
  genai_span_ref: null,
};

const example: OperationExample = {
  request: {
    evaluation_call_ids: ["run-1"],
    filters: [{ query: { $expr: { $gt: [{ $getField: "scores.judge.helpfulness" }, { $literal: 0.5 }] } } }],
    sort_by: [{ field: "scores.judge.helpfulness", direction: "desc" }],
    limit: 50,
  },
  reply: {
    rows: [
      {
        row_digest: "_UlM_CTB1-5bTdSaXVyo0Cj_lb1jqyl-P8XyXy6FP7U",
        raw_data_row: null,
        evaluations: [{ evaluation_call_id: "run-1", trials: [trial] }],
      },
    ],
    total_rows: 1,
    summary: null,
    warnings: [],
  },
};

export const queryResults: ProtectedRoute = {
  method: "POST",
  path: "/v2/{entity}/{project}/eval_results/query",
  access: "basic",
  id: "queryEvalResults",
  reads: true,
  summary: "Results of evaluations, grouped by dataset row",
  parameters: [NAMES_PARAMETER],
  body: evalResultsRequest,
  reply: evalResultsSchema,
  example,
  async run(service, asked, principal) {
    const { projectId, request, stop } = await readProjectRequest(service, asked, principal);
    const pieces = service.engine.streamEvalResults(projectId, request, { signal: stop.signal });
    return answerInPieces(pieces, { trace: asked.trace, stop });
  },
};
