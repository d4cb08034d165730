import { compileScoredErrors, compileUnscored } from "../../compile/statistics/outcomes.ts";
import { narrowing } from "../../compile/rows/selected-rows.ts";
import type { RowOf } from "../../store/query.ts";
import type { Session } from "../../store/session.ts";
import type { Plan, SummaryPlan } from "../../plan/plan.ts";
import { seriesKey, type OutcomeCounts, type ScoreSum } from "../../plan/results.ts";

/** Counts the trials in error and the null scores. */
export async function readOutcomes(
  session: Session,
  plan: Plan,
  summary: SummaryPlan,
  sums: readonly ScoreSum[],
): Promise<OutcomeCounts> {
  const narrowed = narrowing(plan, summary.intersection);
  const counts = await session.all(compileUnscored(plan, narrowed));
  const nulls = counts.filter(({ pathKey }) => pathKey !== null);
  const errored = counts.filter(({ pathKey }) => pathKey === null);
  const keys = [...new Set(sums.map(({ pathKey }) => pathKey))].toSorted((a, b) => a - b);
  const searched = errored.length > 0 && keys.length > 0;
  const scored = searched ? await session.all(compileScoredErrors(plan, narrowed, keys)) : [];
  return {
    errored: countsOf(errored),
    nulls: countsOf(nulls),
    erroredNulls: countsOf(nulls.map((one) => ({ ...one, count: one.errored }))),
    scoredErrors: countsOf(scored),
  };
}

/** A count without a dimension belongs to the evaluation and gets path key 0. */
function countsOf(
  counts: readonly Pick<RowOf<typeof compileUnscored>, "evaluationKey" | "pathKey" | "count">[],
): Map<string, number> {
  return new Map(counts.map((one) => [seriesKey({ ...one, pathKey: one.pathKey ?? 0 }), one.count]));
}
