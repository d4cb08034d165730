import type { CountingMember } from "../model/counting.ts";
import type { EvalResultsRequest } from "./eval-results-request.ts";

/** What trials without a value count as in statistics. */
export const COUNTED = { count_errors_as: true, count_nulls_as: true } as const satisfies Readonly<
  Record<CountingMember, true>
>;

/** The members of a query that say which rows and scores there are; other requests take them with the same meaning. */
export const QUERY_MEMBERS = {
  filters: true,
  filter_logic_operator: true,
  include_predict_and_score_children: true,
  include_feedback: true,
  feedback_by: true,
  derived_scores: true,
  step_scores: true,
  difficulty_from: true,
  ...COUNTED,
} as const;

/** What a request takes of a query. */
export type QueryMembers = Pick<EvalResultsRequest, keyof typeof QUERY_MEMBERS>;
