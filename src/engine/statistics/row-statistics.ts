import type { ValuePlace } from "../../compile/statistics/row-values.ts";
import { narrowing } from "../../compile/rows/selected-rows.ts";
import { mapInSlices } from "../../model/turns.ts";
import type { Session } from "../../store/session.ts";
import type { Plan, RowStatisticsPlan, SummaryPlan } from "../../plan/plan.ts";
import {
  seriesKey,
  type RowBootstrap,
  type RowSample,
  type RowStatistics,
  type ScoreSums,
} from "../../plan/results.ts";
import { bootstrapRows } from "../../respond/summary/row-bootstrap.ts";
import { readMeasured, withFewValues } from "./measured-samples.ts";
import { seedOf } from "./seed.ts";
import { readTallied } from "./tallied-samples.ts";
import { readOutcomes } from "./trial-outcomes.ts";
import type { ValueReader } from "./value-reader.ts";

/** Reads the rows' values in every series that has numbers or booleans, and the outcomes of the trials. */
export async function readRowStatistics(
  session: Session,
  plan: Plan,
  summary: SummaryPlan,
  statistics: RowStatisticsPlan,
  counted: Pick<ScoreSums, "sums" | "trialCounts">,
  signal: AbortSignal | undefined,
): Promise<RowStatistics> {
  const samples = new Map<string, RowSample>();
  const { uncertainty, passK } = statistics;
  const narrowed = narrowing(plan, summary.intersection);
  for (const repeated of [false, true]) {
    const group = statistics.trialsPerRow.filter(({ most }) => most > 1 === repeated);
    const keys = new Set(group.map(({ evaluationKey }) => evaluationKey));
    const own = counted.sums.filter(({ evaluationKey }) => keys.has(evaluationKey));
    const trialsPerRow = group.reduce((most, one) => Math.max(most, one.most), 1);
    const scope = (places: readonly ValuePlace[], wholeKinds: boolean) => ({
      places,
      wholeKinds,
      trialsPerRow,
      narrowing: narrowed,
    });
    const reader: ValueReader = { session, plan, paths: summary.scorePaths, scope, repeated };
    for (const [place, sample] of await readTallied(reader, own)) samples.set(place, sample);
    for (const series of uncertainty ? await readMeasured(reader, own) : [])
      for (const [place, sample] of await withFewValues(reader, series)) samples.set(place, sample);
  }
  const bootstraps = uncertainty ? await bootstrapDimensions(plan, summary, samples, signal) : new Map();
  const outcomes = uncertainty ? await readOutcomes(session, plan, summary, counted) : null;
  return { samples, bootstraps, outcomes, passK };
}

/** The seed depends on the series alone, so that the same rows give the same interval whatever else is requested. */
async function bootstrapDimensions(
  plan: Plan,
  { scorePaths }: SummaryPlan,
  samples: ReadonlyMap<string, RowSample>,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, RowBootstrap>> {
  const places = plan.evaluationKeys.flatMap((evaluationKey, i) =>
    scorePaths.flatMap(({ key, path }) => {
      const place = seriesKey({ evaluationKey, pathKey: key });
      const sample = samples.get(place);
      return sample?.values == null ? [] : [{ place, sample, name: [plan.evaluationIds[i], ...path] }];
    }),
  );
  const found = await mapInSlices(
    places,
    ({ place, sample, name }) => {
      const resampled = bootstrapRows(sample, seedOf(plan.projectId, JSON.stringify(name)));
      return resampled === null ? [] : [[place, resampled] as const];
    },
    signal,
  );
  return new Map(found.flat());
}
