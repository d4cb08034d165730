import { compileClusteredRows } from "../../compile/statistics/clusters.ts";
import { fixedPoints, shiftAt } from "../../compile/sums/fixed-point.ts";
import { BOOLEAN, NUMBER, TEXT } from "../../model/score-kind.ts";
import { seriesKey, type ClusteredRows, type ScoreSum } from "../../plan/results.ts";
import { readMagnitudes } from "./measured-samples.ts";
import type { ValueReader } from "./value-reader.ts";

/** Reads the sums over clusters of rows of each series: its numbers where it has some, else true and false. */
export async function readClusteredRows(
  { session, plan, paths, scope }: ValueReader,
  sums: readonly ScoreSum[],
  clusterBy: string,
): Promise<ReadonlyMap<string, ClusteredRows>> {
  const numeric = new Set(sums.filter(({ kind }) => kind === NUMBER).map(seriesKey));
  const places = sums.filter(
    (one) => one.kind < TEXT && (one.kind !== BOOLEAN || !numeric.has(seriesKey(one))),
  );
  if (places.length === 0) return new Map();
  const within = scope(places, false);
  const magnitudes = await readMagnitudes(session, plan, within, paths);
  const points = fixedPoints(paths, magnitudes, within.trialsPerRow);
  const found = new Map<string, ClusteredRows>();
  for (const one of await session.all(compileClusteredRows(plan, within, points, clusterBy))) {
    const shift = shiftAt(points, one.evaluationKey, one.pathKey);
    const known = found.get(seriesKey(one));
    found.set(seriesKey(one), { shift, clusters: [...(known?.clusters ?? []), one] });
  }
  return found;
}
