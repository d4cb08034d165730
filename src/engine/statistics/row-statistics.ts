import { compileClusteredRows } from "../../compile/statistics/clusters.ts";
import { compileTriedRows } from "../../compile/statistics/row-moments.ts";
import { shiftAt } from "../../compile/sums/fixed-point.ts";
import { narrowing } from "../../compile/rows/selected-rows.ts";
import { grouped } from "../../model/grouped.ts";
import type { Session } from "../../store/session.ts";
import type { Plan, RowStatisticsPlan, ScorePath, SummaryPlan, VirtualLeaf } from "../../plan/plan.ts";
import { seriesKey } from "../../model/series-key.ts";
import type {
  Histograms,
  RowSample,
  RowStatistics,
  ScoreSum,
  ScoreSums,
  UsageSamples,
} from "../../plan/results.ts";
import { ALL_ZERO, compileVirtualRanges, exponentsAmong } from "../../compile/scores/score-records.ts";
import { NUMBER } from "../../model/score-kind.ts";
import { compileBinCounts } from "../../compile/statistics/row-values.ts";
import { binEdges, binsByEdge, countTallies } from "../../respond/summary/bins.ts";
import { type MeasuredSeries, readMeasured, readPoints } from "./measured-samples.ts";
import { readTallied, readZeroOnes } from "./tallied-samples.ts";
import { readOutcomes } from "./failed-trials.ts";
import { STEP_NUMBERS } from "../../model/steps.ts";
import { countSteps } from "../walk/count-steps.ts";
import { mayHaveSteps } from "../walk/read-tree.ts";
import { numericOf, partOf, type Samples, type ValueReader } from "./value-reader.ts";

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
  const ofSteps = statistics.usage ? await stepLeavesOf(session, plan) : [];
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
    for (const [key, used] of statistics.usage ? await readUsage(reader, keys, ofSteps) : [])
      usage.set(key, used);
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

/** What is read; costs only where they are wanted. */
export function usedLeaves({ prices, projectKey }: Plan): readonly VirtualLeaf[] {
  const measures = ["latency_seconds", "total_tokens"] as const;
  const used = measures.map(
    (measure, i) => ({ kind: "usage", measure, key: -1 - i, path: [measure] }) as const,
  );
  return prices === null ? used : [...used, { kind: "cost", prices, projectKey, key: -3, path: ["cost"] }];
}

/** Below the keys of {@link usedLeaves}. */
const FIRST_STEP_KEY = -4;

/** What the steps of trials count, where there are any. */
async function stepLeavesOf(session: Session, plan: Plan): Promise<VirtualLeaf[]> {
  const { projectId, projectKey, evaluationKeys } = plan;
  if (!(await mayHaveSteps(session))) return [];
  const names = STEP_NUMBERS.filter((name) => name !== "first_error");
  const scope = { projectId, projectKey, evaluationKeys, trialIds: null };
  const { numbers } = await countSteps(
    session,
    scope,
    names.map((name) => [name]),
  );
  return names.flatMap((name, i): VirtualLeaf[] => {
    const found = numbers.get(JSON.stringify([name]));
    return found === undefined
      ? []
      : [{ kind: "steps", key: FIRST_STEP_KEY - i, path: ["steps", name], numbers: found }];
  });
}

/** Reads latency and tokens of the rows of some evaluations as if they were scores: they are summed in the same way. */
async function readUsage(
  { session, plan, scope, repeated }: Omit<ValueReader, "paths">,
  evaluationKeys: readonly number[],
  ofSteps: readonly VirtualLeaf[],
): Promise<ReadonlyMap<number, UsageSamples>> {
  const leaves = [...usedLeaves(plan), ...ofSteps];
  const used = { ...plan, evaluationKeys, virtualLeaves: leaves, countings: [] };
  const ranges = await session.all(compileVirtualRanges(used, leaves));
  const paths = leaves.flatMap(({ key, path }): ScorePath[] => {
    const own = ranges.filter(({ pathKey }) => pathKey === key);
    return own.length === 0 ? [] : [{ key, path, exponents: exponentsAmong(own) ?? ALL_ZERO, ancestors: [] }];
  });
  const places = evaluationKeys.flatMap((evaluationKey) =>
    paths.map(({ key }): ScoreSum => ({ evaluationKey, pathKey: key, kind: NUMBER, count: 0, total: 0 })),
  );
  const measured = await readMeasured({ session, plan: used, paths, scope, repeated }, places);
  const samples = new Map(measured.flatMap((series) => series.samples));
  const usageOf = (evaluationKey: number): UsageSamples => {
    const sampleOf = (pathKey: number) => samples.get(seriesKey({ evaluationKey, pathKey })) ?? null;
    const [latency = null, tokens = null, cost] = usedLeaves(plan).map(({ key }) => sampleOf(key));
    const steps = ofSteps.flatMap(({ key, path: [, name = ""] }) => {
      const sample = sampleOf(key);
      return sample === null ? [] : [[name, sample] as const];
    });
    return {
      latency_seconds: latency,
      total_tokens: tokens,
      ...(cost === undefined ? {} : { cost }),
      ...(steps.length === 0 ? {} : { steps: new Map(steps) }),
    };
  };
  return new Map(evaluationKeys.map((key) => [key, usageOf(key)]));
}

/** Dimensions of which one statement counts: each takes a list of edges into it. */
const COUNTED_TOGETHER = 100;

/** Counts the row values of every dimension with a number; `measured` are those of which no tallies are known. */
async function readHistograms(
  session: Session,
  plan: Plan,
  bins: number,
  sums: readonly ScoreSum[],
  samples: ReadonlyMap<string, RowSample>,
  measured: readonly MeasuredSeries[],
): Promise<Histograms> {
  const edges = edgesOf(bins, sums, samples);
  const counts = new Map<string, number[]>();
  for (const { pathKey, evaluationKey } of sums) {
    const place = seriesKey({ pathKey, evaluationKey });
    const [tallies, own] = [samples.get(place)?.tallies, edges.get(pathKey)];
    if (tallies != null && own !== undefined) counts.set(place, countTallies(tallies, own));
  }
  const bin = new Map([...edges].map(([pathKey, list]) => [pathKey, binsByEdge(list)]));
  for (const { scope, points } of measured) {
    const keys = [...new Set(scope.places.map(({ pathKey }) => pathKey))];
    for (let i = 0; i < keys.length; i += COUNTED_TOGETHER) {
      const some = new Set(keys.slice(i, i + COUNTED_TOGETHER));
      const own = new Map([...edges].filter(([pathKey]) => some.has(pathKey)));
      const counting = compileBinCounts(plan, partOf(scope, some), points, own);
      for (const { edge, rows, ...place } of await session.all(counting)) {
        const list = counts.get(seriesKey(place)) ?? Array<number>(bins).fill(0);
        list[bin.get(place.pathKey)?.get(edge) ?? 0] = rows;
        counts.set(seriesKey(place), list);
      }
    }
  }
  return { edges, counts };
}

/** The edges of each dimension that has a number, from the least to the largest row value of all evaluations. */
function edgesOf(
  bins: number,
  sums: readonly ScoreSum[],
  samples: ReadonlyMap<string, RowSample>,
): ReadonlyMap<number, readonly number[]> {
  const ends = new Map<number, { least: number; most: number }>();
  const numeric = new Set(sums.filter(({ kind }) => kind === NUMBER).map(({ pathKey }) => pathKey));
  for (const { pathKey, evaluationKey } of sums) {
    const sample = samples.get(seriesKey({ pathKey, evaluationKey }));
    if (sample === undefined || !numeric.has(pathKey)) continue;
    const { least, most } = ends.get(pathKey) ?? { least: sample.min, most: sample.max };
    ends.set(pathKey, { least: Math.min(least, sample.min), most: Math.max(most, sample.max) });
  }
  return new Map([...ends].map(([pathKey, { least, most }]) => [pathKey, binEdges(least, most, bins)]));
}
