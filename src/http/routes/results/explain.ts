import { z } from "zod";
import { writeJson } from "../../../model/json.ts";
import { evalResultsRequest } from "../../../request/wire.ts";
import type { EvalResultsRequest } from "../../../request/eval-results-request.ts";
import { jsonAnswer } from "../../wire/answer.ts";
import { NAMES_PARAMETER, readProjectRequest } from "../read-request.ts";
import type { ProtectedRoute } from "../route.ts";
import { offered } from "../service.ts";

const parameter = z.object({ type: z.string(), value: z.unknown() });

const explanation = z
  .object({
    plan: z.looseObject({}).nullable(),
    statements: z.array(z.object({ name: z.string(), sql: z.string(), params: z.array(parameter) })),
    warnings: z.array(z.string()),
  })
  .meta({ id: "Explanation" });

export const explainResults: ProtectedRoute = {
  method: "POST",
  path: "/v2/{entity}/{project}/eval_results/explain",
  access: "basic",
  id: "explainEvalResults",
  reads: true,
  summary: "Run a request, and tell its plan and each of its statements",
  parameters: [NAMES_PARAMETER],
  body: evalResultsRequest,
  reply: explanation,
  example: {
    request: { evaluation_call_ids: ["run-1"] },
    reply: {
      plan: null,
      statements: [{ name: "projects", sql: "SELECT 1", params: [{ type: "VARCHAR", value: "acme/qa" }] }],
      warnings: [],
    },
  },
  async run(service, asked, principal) {
    const { projectId, request } = await readProjectRequest(service, asked, principal);
    const explanationOf = offered(service.engine.explain);
    return jsonAnswer(writeJson(await explanationOf(projectId, request as EvalResultsRequest)));
  },
};
