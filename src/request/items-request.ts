import { z } from "zod";
import { checkArgument, confidenceLevel, scoreName } from "../model/arguments.ts";
import type { EvalRequest } from "./eval-request.ts";
import type { EvalResultsRequest } from "./eval-results-request.ts";
import { namesIn, type EvaluationName } from "./evaluation-name.ts";
import { readDimension } from "./named-places.ts";
import { parseRequest } from "./parse-request.ts";
import { COUNTED, type QueryMembers } from "./query-members.ts";
import { scopeWire, unchecked } from "./scope.ts";
import { evalResultsRequest } from "./wire.ts";

const scope = {
  ...z.object(scopeWire).omit(COUNTED).shape,
  limit: evalResultsRequest.shape.limit,
  offset: evalResultsRequest.shape.offset,
};

const itemsRequest = z.strictObject({
  evaluations: z.array(z.string()).min(1),
  scorer: scoreName.meta({ examples: ["correct"] }),
  confidence: confidenceLevel.nullish(),
  ...unchecked(scope),
});

/** The wire format of a request for items, for descriptions; `parseItemsRequest` is what checks one. */
export const itemsRequestWire = itemsRequest.extend(scope).meta({ id: "ItemsRequest" });

/** What the rows tell of some evaluations; null means left out. */
export interface ItemsRequest
  extends
    Omit<QueryMembers, "count_errors_as" | "count_nulls_as">,
    Pick<EvalResultsRequest, "limit" | "offset"> {
  /** Ids or names of the evaluations that the rows are to tell apart. */
  readonly evaluations: readonly string[];
  /** A score of numbers or of true and false, or a scorer that has one alone. */
  readonly scorer: string;
  /** Confidence level of the intervals; a row is flagged at 1 less it. Default 0.95. */
  readonly confidence?: number | null | undefined;
}

/** A request for items after it is checked; `limit` and `offset` of its request are of items. */
interface AskedItems {
  readonly scorer: readonly string[];
  readonly confidence: number;
  readonly request: EvalRequest<EvaluationName>;
}

/** Checks a request for items. Throws `RequestError` with every issue found. */
export function parseItemsRequest(input: unknown): AskedItems {
  const { evaluations, scorer, confidence, ...rest } = checkArgument(input, itemsRequest);
  const { path } = readDimension(scorer, ["scorer"]);
  const request = parseRequest({
    include_feedback: path[0] === "feedback",
    ...rest,
    evaluation_call_ids: evaluations,
  });
  return {
    scorer: path,
    confidence: confidence ?? 0.95,
    request: { ...request, evaluationIds: namesIn(evaluations, "evaluations") },
  };
}
