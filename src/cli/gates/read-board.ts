import { RequestError, withIssues } from "../../errors.ts";
import type { CompareRequest, Engine, LeaderboardAnswer } from "../../index.ts";
import { isByModel } from "../../model/field-path.ts";
import type { Side } from "../../words/comparison-words.ts";
import type { Gate } from "./parse-gate.ts";

/**
 * Reads means, errors and rows of the compared evaluations, on the rows that the filters keep. Throws `RequestError`
 * where a gate names a score that there is not.
 */
export async function readBoard(
  engine: Engine,
  project: string,
  request: CompareRequest,
  sides: readonly Side[],
  gates: readonly Gate[],
  signal: AbortSignal,
): Promise<LeaderboardAnswer> {
  const names = gates.flatMap((gate) => (gate.kind === "score" ? [gate.name] : []));
  const { evaluations, ...rows } = comparedRows(request, sides);
  const { by, where, weights } = request;
  const which = isByModel(by) ? { by: "model" as const, where, weights: weights ?? "rows" } : { evaluations };
  const { cluster_by } = request;
  const clustered = cluster_by == null ? {} : { cluster_by };
  const board = { ...rows, ...which, ...clustered, scorers: names.length === 0 ? null : names };
  return await engine.leaderboard(project, board, { signal }).catch((error: unknown) => {
    throw error instanceof RequestError && error.path[0] === "scorers" ? ofGates(error) : error;
  });
}

/** The members of a request that say which evaluations and rows are compared. */
export function comparedRows(request: CompareRequest, sides: readonly Side[]) {
  const members = {
    filters: request.filters,
    filter_logic_operator: request.filter_logic_operator,
    derived_scores: request.derived_scores,
    difficulty_from: request.difficulty_from,
    count_errors_as: request.count_errors_as,
    count_nulls_as: request.count_nulls_as,
    include_feedback: request.include_feedback,
    include_predict_and_score_children: request.include_predict_and_score_children,
  };
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return {
    ...(Object.fromEntries(given) as Partial<typeof members>),
    evaluations: [...new Set(sides.flatMap(({ baseline, candidate }) => [baseline, candidate]))],
  };
}

/** An error of a question that a gate asked. */
export function ofGates(error: unknown): unknown {
  return withIssues(error, (issue) => ({ ...issue, loc: ["--fail-on"] }));
}
