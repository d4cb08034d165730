import { z } from "zod";
import { summarySchema } from "../../../respond/summary/scorer-stats.ts";
import { stopReasonsSchema } from "../../../respond/summary/stop-reasons.ts";
import { engineAnswers } from "../../../view/answer-source.ts";
import { tellAnswers } from "../../../view/service/tell-answers.ts";
import { checkViewQuestion, viewQuestion } from "../../../view/service/view-question.ts";
import { describeFailure, isStoreFault, plainFailure } from "../../errors/failures.ts";
import type { OperationExample } from "../../openapi/operation.ts";
import { answerInPieces } from "../../wire/streamed-answer.ts";
import { readProjectRequest } from "../read-request.ts";
import type { ProtectedRoute, RouteRequest } from "../route.ts";
import type { ServiceEngine } from "../service.ts";
import { comparisonSchema } from "./compare-reply.ts";
import { historySchema } from "./history-reply.ts";
import { itemsSchema } from "./items-reply.ts";
import { evaluationSchema } from "./lists.ts";
import { evalResultsSchema } from "./query-reply.ts";
import { diffSchema, toolsSchema } from "./steps-reply.ts";

const latestRuns = z.object({
  name: z.string(),
  candidate: z.string(),
  baseline: z.string().nullable(),
  comparison: comparisonSchema.nullable(),
});

const pageSteps = z.object({
  tools: toolsSchema,
  differences: z.array(diffSchema.extend({ evaluation_call_id: z.string() })),
  stopped: z.array(z.object({ evaluation_call_id: z.string(), ...stopReasonsSchema })),
  left_out: z.int(),
});

const part = z
  .union([
    z.object({
      means: z.object({
        evaluations: z.array(evaluationSchema),
        shown: z.array(z.string()),
        baseline: z.string().nullable(),
        summary: summarySchema,
        warnings: z.array(z.string()),
        whole: summarySchema.nullable(),
        rows_request: z.looseObject({}).nullable(),
        unknown: z.array(z.string()),
        runs: z.enum(["latest", "names", "all", "chosen"]),
        latest: z.array(latestRuns),
        left_out: z.array(evaluationSchema.extend({ partial: z.boolean() })),
        also: z.array(evaluationSchema.partial()),
      }),
    }),
    z.object({ first_rows: evalResultsSchema }),
    z.object({ comparison: comparisonSchema.nullable() }),
    z.object({ histories: z.array(historySchema), items: itemsSchema.nullable() }),
    z.object({ spread: summarySchema, fields: z.array(z.string()) }),
    z.object({ steps: pageSteps }),
    z.object({ failure: z.looseObject({ status: z.int(), reason: z.string() }) }),
  ])
  .meta({ id: "ViewPart", description: "One line." });

const example: OperationExample = {
  request: { evaluations: ["run-1", "run-2"], baseline: "run-1", first_rows: 50 },
  reply: { comparison: null },
};

export const viewResults: ProtectedRoute = {
  method: "POST",
  path: "/v2/{entity}/{project}/eval_results/view",
  access: "basic",
  id: "viewEvaluations",
  reads: true,
  summary: "What the page of a project shows, in lines, each as soon as it is known",
  body: viewQuestion,
  reply: part,
  replyType: "application/jsonl",
  example,
  async run(service, asked, principal) {
    const { trace } = asked;
    const { projectId, request, stop } = await readProjectRequest(service, asked, principal);
    const question = checkViewQuestion(request);
    const source = sourceOf(service.engine, projectId, stop.signal);
    const lines = failingInWords(tellAnswers(source, projectId, question), trace, stop.signal);
    const answer = await answerInPieces(lines, { trace, stop, type: "application/jsonl", wholeLength: 0 });
    // A proxy must not keep the first lines until there are more.
    return { ...answer, headers: { ...answer.headers, "x-accel-buffering": "no" } };
  },
};

function sourceOf(engine: ServiceEngine, projectId: string, signal: AbortSignal) {
  return {
    ...engineAnswers(engine, projectId, signal),
    queryText: async (request: unknown) => {
      const pieces: string[] = [];
      for await (const piece of engine.streamEvalResults(projectId, request, { signal })) pieces.push(piece);
      return pieces.join("");
    },
  };
}

/** The lines; what fails once there is one becomes the last. */
async function* failingInWords(
  lines: AsyncGenerator<string, void, undefined>,
  trace: RouteRequest["trace"],
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  let isBegun = false;
  try {
    for await (const line of lines) {
      yield line;
      isBegun = true;
    }
  } catch (error) {
    if (!isBegun || signal.aborted) throw error;
    const failure = describeFailure(error, trace.issuePart, trace.requestId);
    const { status } = failure;
    if (status === 500 || isStoreFault(error)) trace.fault(error);
    yield `${JSON.stringify({ failure: { status, ...plainFailure(failure) } })}\n`;
  }
}
