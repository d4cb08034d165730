import { z } from "zod";
import type { EvalResultsRequest } from "./eval-results-request.ts";
import { evalResultsRequest } from "./wire.ts";

/** Members with the same meaning as in a query, for descriptions; the query parser checks them. */
export const scopeWire = evalResultsRequest.pick({
  filters: true,
  filter_logic_operator: true,
  include_predict_and_score_children: true,
  include_feedback: true,
  feedback_by: true,
  derived_scores: true,
  count_errors_as: true,
}).shape;

/** What a request takes of a query. */
export type QueryMembers = Pick<EvalResultsRequest, keyof typeof scopeWire>;

/** These members, which another parser checks. */
export function unchecked(shape: object): Record<string, z.ZodOptional<z.ZodUnknown>> {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, z.unknown().optional()]));
}
