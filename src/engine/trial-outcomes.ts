import { compileScoredErrors, compileUnscored } from "../compile/outcomes.ts";
import { narrowing } from "../compile/selected-rows.ts";
import type { Session } from "../model/session.ts";
import type { SqlValue } from "../model/sql.ts";
import type { Plan, SummaryPlan } from "../plan/plan.ts";
import { placeOf, type OutcomeCounts } from "../respond/summary.ts";

/** Trials that went wrong, and nulls. */
export async function readOutcomes(
  session: Session,
  plan: Plan,
  summary: SummaryPlan,
): Promise<OutcomeCounts> {
  const narrowed = narrowing(plan, summary.intersection);
  const records = await session.rows(compileUnscored(plan, narrowed));
  const errored = records.filter(([, path]) => path === null);
  return {
    errored: countsOf(errored),
    scoredErrors: countsOf(
      errored.length === 0 ? [] : await session.rows(compileScoredErrors(plan, narrowed)),
    ),
    nulls: countsOf(records.filter(([, path]) => path !== null)),
  };
}

function countsOf(records: readonly (readonly SqlValue[])[]): Map<string, number> {
  return new Map(
    records.map(([evaluation, path, count]) => [
      placeOf({ evaluationKey: Number(evaluation), pathKey: Number(path ?? 0) }),
      Number(count),
    ]),
  );
}
