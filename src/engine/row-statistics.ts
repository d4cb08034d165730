import type { ValuePlace } from "../compile/row-values.ts";
import { narrowing } from "../compile/selected-rows.ts";
import type { Session } from "../model/session.ts";
import type { Plan, RowStatisticsPlan, SummaryPlan } from "../plan/plan.ts";
import type { RowSample } from "../respond/row-samples.ts";
import type { RowStatistics, ScoreSums } from "../respond/summary.ts";
import { readMeasured } from "./measured-samples.ts";
import { readTallied } from "./tallied-samples.ts";
import { readOutcomes } from "./trial-outcomes.ts";
import type { ValueReader } from "./value-reader.ts";

/** The rows' values of every place that has numbers or booleans, and what became of the trials. */
export async function readRowStatistics(
  session: Session,
  plan: Plan,
  summary: SummaryPlan,
  statistics: RowStatisticsPlan,
  counted: Pick<ScoreSums, "sums" | "trialCounts">,
): Promise<RowStatistics> {
  const samples = new Map<string, RowSample>();
  const { uncertainty, passK } = statistics;
  const narrowed = narrowing(plan, summary.intersection);
  for (const repeated of [false, true]) {
    const group = statistics.trialsARow.filter(({ most }) => most > 1 === repeated);
    const keys = new Set(group.map(({ evaluationKey }) => evaluationKey));
    const own = counted.sums.filter(({ evaluationKey }) => keys.has(evaluationKey));
    const trialsARow = group.reduce((most, one) => Math.max(most, one.most), 1);
    const scope = (places: readonly ValuePlace[], wholeKinds: boolean) => ({
      places,
      wholeKinds,
      trialsARow,
      narrowing: narrowed,
    });
    const reader: ValueReader = { session, plan, paths: summary.scorePaths, scope, repeated };
    const found = [
      ...(await readTallied(reader, own)),
      ...(uncertainty ? await readMeasured(reader, own) : []),
    ];
    for (const [place, sample] of found) samples.set(place, sample);
  }
  const outcomes = uncertainty ? await readOutcomes(session, plan, summary, counted) : null;
  return { samples, outcomes, passK };
}
