import { z } from "zod";
import { checkArgument, confidenceLevel, scoreName } from "../model/arguments.ts";
import type { EvalRequest } from "./eval-request.ts";
import { namesIn, type EvaluationName } from "./evaluation-name.ts";
import { readDimension } from "./named-places.ts";
import { parseRequest } from "./parse-request.ts";
import type { EvalResultsRequest } from "./eval-results-request.ts";
import { COUNTED, type QueryMembers } from "./query-members.ts";
import { scopeWire, unchecked } from "./scope.ts";
import { evalResultsRequest } from "./wire.ts";

const dimension = scoreName.meta({ examples: ["judge.score", "feedback.correct"] });

const scope = {
  ...z.object(scopeWire).omit(COUNTED).shape,
  require_intersection: evalResultsRequest.shape.require_intersection,
};

const agreementRequest = z.strictObject({
  evaluations: z.array(z.string()).min(1),
  a: dimension,
  b: dimension,
  confidence: confidenceLevel.nullish(),
  ...unchecked(scope),
});

/** The wire format of an agreement request, for descriptions; `parseAgreementRequest` is what checks one. */
export const agreementRequestWire = agreementRequest.extend(scope).meta({ id: "AgreementRequest" });

/** Two score dimensions to compare on the trials of some evaluations; null means left out. */
export interface AgreementRequest
  extends
    Omit<QueryMembers, "count_errors_as" | "count_nulls_as">,
    Pick<EvalResultsRequest, "require_intersection"> {
  /** Ids of the evaluations whose trials are compared. */
  readonly evaluations: readonly string[];
  /** The first score dimension, such as `feedback.correct`; it counts as the truth. */
  readonly a: string;
  /** The second score dimension, such as `judge.correct`; it counts as the judge. */
  readonly b: string;
  /** Confidence level of the intervals. Default 0.95. */
  readonly confidence?: number | null | undefined;
}

/** An agreement request after it is checked. */
export interface Agreement<Evaluation = string> {
  readonly a: readonly string[];
  readonly b: readonly string[];
  readonly confidence: number;
  /** Selects the evaluations and rows. */
  readonly request: EvalRequest<Evaluation>;
}

/** Checks an agreement request. Throws `RequestError` with every issue found. */
export function parseAgreementRequest(input: unknown): Agreement<EvaluationName> {
  const { evaluations, a, b, confidence, ...rest } = checkArgument(input, agreementRequest);
  const [first, second] = [readDimension(a, ["a"]).path, readDimension(b, ["b"]).path];
  const named = [first, second].some(([root]) => root === "feedback");
  const request = parseRequest({
    include_feedback: named,
    ...rest,
    evaluation_call_ids: evaluations,
  });
  return {
    a: first,
    b: second,
    confidence: confidence ?? 0.95,
    request: { ...request, evaluationIds: namesIn(evaluations, "evaluations") },
  };
}
