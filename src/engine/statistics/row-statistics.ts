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
  type ScoreSum,
  type ScoreSums,
  type UsageSamples,
} from "../../plan/results.ts";
import { bootstrapRows } from "../../respond/summary/row-bootstrap.ts";
import { readClusteredRows } from "./clustered-rows.ts";
import { readHistograms } from "./histograms.ts";
import { readMeasured, withFewValues, type MeasuredSeries } from "./measured-samples.ts";
import { seedOf } from "./seed.ts";
import { readTallied } from "./tallied-samples.ts";
import { readRowCounts } from "./row-counts.ts";
import { readOutcomes } from "./trial-outcomes.ts";
import { readUsage } from "./usage-samples.ts";
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
  const usage = new Map<number, UsageSamples>();
  const measured: MeasuredSeries[] = [];
  const { uncertainty, passK, histogramBins: bins } = statistics;
  const ofScores = uncertainty || passK.length > 0 || bins !== null;
  for (const { reader, keys } of valueReaders(session, plan, summary, statistics)) {
    const own = ofScores ? counted.sums.filter(({ evaluationKey }) => keys.includes(evaluationKey)) : [];
    for (const [place, sample] of await readTallied(reader, own)) samples.set(place, sample);
    for (const series of uncertainty || bins !== null ? await readMeasured(reader, own) : []) {
      const found = uncertainty ? await withFewValues(reader, series) : series.samples;
      for (const [place, sample] of found) samples.set(place, sample);
      measured.push(series);
    }
    if (statistics.clusterBy !== null) await addClusters(reader, own, statistics.clusterBy, samples);
    for (const [key, used] of statistics.usage ? await readUsage(reader, keys) : []) usage.set(key, used);
  }
  const bootstraps = uncertainty ? await bootstrapDimensions(plan, summary, samples, signal) : new Map();
  const outcomes = uncertainty ? await readOutcomes(session, plan, summary, counted) : null;
  const histograms =
    bins === null ? null : await readHistograms(session, plan, bins, counted.sums, samples, measured);
  const rowCounts = statistics.rowCounts
    ? await readRowCounts(session, plan, summary, statistics, counted.trialCounts)
    : null;
  return {
    samples,
    bootstraps,
    outcomes,
    passK,
    histograms,
    usage: statistics.usage ? usage : null,
    rowCounts,
  };
}

async function addClusters(
  reader: ValueReader,
  sums: readonly ScoreSum[],
  clusterBy: string,
  samples: Map<string, RowSample>,
): Promise<void> {
  for (const [place, clusters] of await readClusteredRows(reader, sums, clusterBy)) {
    const sample = samples.get(place);
    if (sample !== undefined) samples.set(place, { ...sample, clusters });
  }
}

/** Readers of the evaluations with one trial a row, and of those with several. */
function valueReaders(
  session: Session,
  plan: Plan,
  summary: SummaryPlan,
  statistics: RowStatisticsPlan,
): { readonly reader: ValueReader; readonly keys: readonly number[] }[] {
  const narrowed = narrowing(plan, summary.intersection);
  return [false, true].flatMap((repeated) => {
    const group = statistics.trialsPerRow.filter(({ most }) => most > 1 === repeated);
    if (group.length === 0) return [];
    const trialsPerRow = group.reduce((most, one) => Math.max(most, one.most), 1);
    const scope = (places: readonly ValuePlace[], wholeKinds: boolean) => ({
      places,
      wholeKinds,
      trialsPerRow,
      narrowing: narrowed,
    });
    const reader = { session, plan, paths: summary.scorePaths, scope, repeated };
    return [{ reader, keys: group.map(({ evaluationKey }) => evaluationKey) }];
  });
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
