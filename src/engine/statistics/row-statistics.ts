import type { ValuePlace } from "../../compile/statistics/row-values.ts";
import { narrowing } from "../../compile/rows/selected-rows.ts";
import type { Session } from "../../store/session.ts";
import type { Plan, RowStatisticsPlan, SummaryPlan } from "../../plan/plan.ts";
import type { RowSample, RowStatistics, ScoreSum, ScoreSums, UsageSamples } from "../../plan/results.ts";
import { readClusteredRows } from "./clustered-rows.ts";
import { readHistograms } from "./histograms.ts";
import { readMeasured, type MeasuredSeries } from "./measured-samples.ts";
import { readTallied, readZeroOnes } from "./tallied-samples.ts";
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
      for (const [place, sample] of series.samples) samples.set(place, sample);
      measured.push(series);
    }
    const zeroOnes = ofScores ? await readZeroOnes(reader, own, samples) : [];
    for (const [place, sample] of zeroOnes) samples.set(place, sample);
    if (statistics.clusterBy !== null) await addClusters(reader, own, statistics.clusterBy, samples);
    for (const [key, used] of statistics.usage ? await readUsage(reader, keys) : []) usage.set(key, used);
  }
  const outcomes = uncertainty ? await readOutcomes(session, plan, summary, counted) : null;
  const histograms =
    bins === null ? null : await readHistograms(session, plan, bins, counted.sums, samples, measured);
  const rowCounts = statistics.rowCounts
    ? await readRowCounts(session, plan, summary, statistics, counted.trialCounts)
    : null;
  return {
    samples,
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
