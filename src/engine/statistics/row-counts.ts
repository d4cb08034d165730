import { compileTriedRows } from "../../compile/statistics/tried-rows.ts";
import { narrowing } from "../../compile/rows/selected-rows.ts";
import type { Session } from "../../store/session.ts";
import type { Plan, RowStatisticsPlan, SummaryPlan } from "../../plan/plan.ts";

/** Counts the rows of a summary that each evaluation tried; with one trial a row they are its trials. */
export async function readRowCounts(
  session: Session,
  plan: Plan,
  { intersection }: SummaryPlan,
  { trialsPerRow }: RowStatisticsPlan,
  trialCounts: ReadonlyMap<number, number>,
): Promise<ReadonlyMap<number, number>> {
  const repeated = trialsPerRow.filter(({ most }) => most > 1).map(({ evaluationKey }) => evaluationKey);
  if (repeated.length === 0) return trialCounts;
  const counted = await session.all(compileTriedRows(repeated, narrowing(plan, intersection)));
  return new Map([
    ...trialCounts,
    ...counted.map(({ evaluationKey, rows }) => [evaluationKey, rows] as const),
  ]);
}
