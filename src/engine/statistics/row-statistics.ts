import { compileClusteredRows } from "../../compile/statistics/clusters.ts";
import { compileTriedRows } from "../../compile/statistics/tried-rows.ts";
import { shiftAt } from "../../compile/sums/fixed-point.ts";
import { narrowing } from "../../compile/rows/selected-rows.ts";
import { grouped } from "../../model/grouped.ts";
import type { Session } from "../../store/session.ts";
import type { Plan, RowStatisticsPlan, SummaryPlan } from "../../plan/plan.ts";
import {
  seriesKey,
  type RowSample,
  type RowStatistics,
  type ScoreSum,
  type ScoreSums,
  type UsageSamples,
} from "../../plan/results.ts";
import { readHistograms } from "./histograms.ts";
import { readMeasured, readPoints, type MeasuredSeries } from "./measured-samples.ts";
import { readTallied, readZeroOnes } from "./tallied-samples.ts";
import { readOutcomes } from "./trial-outcomes.ts";
import { readUsage } from "./usage-samples.ts";
import { numericOf, type Samples, type ValueReader } from "./value-reader.ts";

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
  const add = (found: Samples) => {
    for (const [place, sample] of found) samples.set(place, sample);
  };
  for (const { reader, keys } of valueReaders(session, plan, summary, statistics)) {
    const own = ofScores ? counted.sums.filter(({ evaluationKey }) => keys.includes(evaluationKey)) : [];
    add(await readTallied(reader, own));
    for (const series of uncertainty || bins !== null ? await readMeasured(reader, own) : []) {
      add(series.samples);
      measured.push(series);
    }
    add(await readZeroOnes(reader, own, samples));
    if (statistics.clusterBy !== null) await addClusters(reader, own, statistics.clusterBy, samples);
    for (const [key, used] of statistics.usage ? await readUsage(reader, keys) : []) usage.set(key, used);
  }
  return {
    samples,
    outcomes: uncertainty ? await readOutcomes(session, plan, summary, counted.sums) : null,
    passK,
    histograms:
      bins === null ? null : await readHistograms(session, plan, bins, counted.sums, samples, measured),
    usage: statistics.usage ? usage : null,
    rowCounts: statistics.rowCounts ? await readRowCounts(session, plan, summary, statistics, counted) : null,
  };
}

/** Adds the sums over clusters of rows to the samples of the series. */
async function addClusters(
  { session, plan, paths, scope }: ValueReader,
  sums: readonly ScoreSum[],
  clusterBy: string,
  samples: Map<string, RowSample>,
): Promise<void> {
  const within = scope(numericOf(sums), false);
  if (within.places.length === 0) return;
  const points = await readPoints(session, plan, within, paths);
  const found = await session.all(compileClusteredRows(plan, within, points, clusterBy));
  for (const [place, clusters] of grouped(found, seriesKey)) {
    const [sample, [one]] = [samples.get(place), clusters];
    if (sample === undefined || one === undefined) continue;
    const shift = shiftAt(points, one.evaluationKey, one.pathKey);
    samples.set(place, { ...sample, clusters: { shift, clusters } });
  }
}

/** Counts the rows of a summary that each evaluation tried; with one trial a row they are its trials. */
async function readRowCounts(
  session: Session,
  plan: Plan,
  { intersection }: SummaryPlan,
  { trialsPerRow }: RowStatisticsPlan,
  { trialCounts }: Pick<ScoreSums, "trialCounts">,
): Promise<ReadonlyMap<number, number>> {
  const repeated = trialsPerRow.filter(({ most }) => most > 1).map(({ evaluationKey }) => evaluationKey);
  if (repeated.length === 0) return trialCounts;
  const counted = await session.all(compileTriedRows(repeated, narrowing(plan, intersection)));
  return new Map([...trialCounts, ...counted.map((one) => [one.evaluationKey, one.rows] as const)]);
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
    const reader: ValueReader = {
      session,
      plan,
      paths: summary.scorePaths,
      scope: (places, wholeKinds) => ({ places, wholeKinds, trialsPerRow, narrowing: narrowed }),
      repeated,
    };
    return [{ reader, keys: group.map(({ evaluationKey }) => evaluationKey) }];
  });
}
