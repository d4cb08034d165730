import {
  compileExportedEvaluations,
  compileNullDimensions,
} from "../../compile/catalog/exported-evaluations.ts";
import { narrowing } from "../../compile/rows/selected-rows.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import { placeName, type TrialTablePlan } from "../../plan/trial-table.ts";
import type { Session } from "../../store/session.ts";
import { readCosts } from "../query/costs.ts";
import type { PlannedTable } from "../table/table.ts";

const timeOrNull = (time: bigint | null) => (time === null ? null : formatTimestamp(time));

/** The table of an export, which tells all that the figures of its evaluations are made of. */
export async function planExport(
  session: Session,
  { plan, paths }: PlannedTable,
  withDetails: boolean,
): Promise<TrialTablePlan> {
  const { evaluationKeys } = plan;
  if (evaluationKeys.length === 0) return { ...plan, exported: { ...NOTHING, withDetails } };
  const evaluations = await session.all(compileExportedEvaluations(evaluationKeys));
  const nulls = new Set(
    (await session.all(compileNullDimensions(evaluationKeys))).map(({ pathKey }) => pathKey),
  );
  return {
    ...plan,
    prices: plan.prices ?? (await statedPrices(session, plan)),
    exported: {
      evaluations: evaluations.map(({ key, startedAt, endedAt }) => ({
        key,
        startedAt: timeOrNull(startedAt),
        endedAt: timeOrNull(endedAt),
      })),
      hasTraces: evaluations.some(({ hasTrace }) => hasTrace),
      hasFailed: evaluations.some(({ hasFailed }) => hasFailed),
      withDetails,
      nulls: paths
        .filter(({ key }) => nulls.has(key))
        .map(({ key, path }) => ({ pathKey: key, name: placeName(path) })),
    },
  };
}

const NOTHING = { evaluations: [], hasTraces: false, hasFailed: false, nulls: [] };

/** What calls state, where some does; null where none does. */
async function statedPrices(session: Session, plan: TrialTablePlan): Promise<"stated" | null> {
  const narrowed = narrowing(plan, plan.rows.intersection);
  const { ofEvaluations } = await readCosts(session, plan, narrowed, "stated");
  return ofEvaluations.size === 0 ? null : "stated";
}
