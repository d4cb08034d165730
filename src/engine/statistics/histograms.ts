import { compileBinCounts } from "../../compile/statistics/bin-counts.ts";
import { NUMBER } from "../../model/score-kind.ts";
import type { Session } from "../../store/session.ts";
import type { Plan } from "../../plan/plan.ts";
import { seriesKey, type Histograms, type RowSample, type ScoreSum } from "../../plan/results.ts";
import { binEdges, binsByEdge, countTallies } from "../../respond/summary/bins.ts";
import type { MeasuredSeries } from "./measured-samples.ts";
import { partOf } from "./value-reader.ts";

/** Dimensions of which one statement counts: each takes a list of edges into it. */
const COUNTED_TOGETHER = 100;

/** Counts the row values of every dimension with a number; `measured` are those of which no tallies are known. */
export async function readHistograms(
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
