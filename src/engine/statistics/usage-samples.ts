import { compileVirtualRanges, exponentsAmong } from "../../compile/scores/score-records.ts";
import { NUMBER } from "../../model/score-kind.ts";
import type { Exponents, ScorePath, UsageMeasure } from "../../plan/plan.ts";
import { seriesKey, type RowSample, type ScoreSum, type UsageSamples } from "../../plan/results.ts";
import { readMeasured } from "./measured-samples.ts";
import type { ValueReader } from "./value-reader.ts";

const LEAVES = (["latency_seconds", "total_tokens"] as const).map((measure, i) => ({
  kind: "usage" as const,
  measure,
  key: -1 - i,
  path: [measure],
}));

/** Exponents of no number but 0, which are not those of a dimension that passes or fails. */
const ALL_ZERO: Exponents = { max: 0, min: 0, lowBit: -1 };

/** Reads latency and tokens of the rows of some evaluations as if they were scores: they are summed in the same way. */
export async function readUsage(
  { session, plan, scope, repeated }: Omit<ValueReader, "paths">,
  evaluationKeys: readonly number[],
): Promise<ReadonlyMap<number, UsageSamples>> {
  const used = { ...plan, evaluationKeys, virtualLeaves: LEAVES, countedErrors: null };
  const ranges = await session.all(compileVirtualRanges(used, LEAVES));
  const known = LEAVES.filter(({ key }) => ranges.some(({ pathKey }) => pathKey === key));
  const paths = known.map(({ key, path }): ScorePath => {
    const exponents = exponentsAmong(ranges.filter(({ pathKey }) => pathKey === key)) ?? ALL_ZERO;
    return { key, path, exponents, ancestors: [] };
  });
  const places = evaluationKeys.flatMap((evaluationKey) =>
    known.map(({ key }): ScoreSum => ({ evaluationKey, pathKey: key, kind: NUMBER, count: 0, total: 0 })),
  );
  const measured = await readMeasured({ session, plan: used, paths, scope, repeated }, places);
  const samples = new Map(measured.flatMap((series) => series.samples));
  return new Map(evaluationKeys.map((evaluationKey) => [evaluationKey, usageOf(samples, evaluationKey)]));
}

function usageOf(samples: ReadonlyMap<string, RowSample>, evaluationKey: number): UsageSamples {
  const of = (wanted: UsageMeasure) => {
    const pathKey = LEAVES.find(({ measure }) => measure === wanted)?.key ?? 0;
    return samples.get(seriesKey({ evaluationKey, pathKey })) ?? null;
  };
  return { latency_seconds: of("latency_seconds"), total_tokens: of("total_tokens") };
}
