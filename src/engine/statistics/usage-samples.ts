import { ALL_ZERO, compileVirtualRanges, exponentsAmong } from "../../compile/scores/score-records.ts";
import { NUMBER } from "../../model/score-kind.ts";
import type { Plan, ScorePath, UsageMeasure, VirtualLeaf } from "../../plan/plan.ts";
import { seriesKey, type RowSample, type ScoreSum, type UsageSamples } from "../../plan/results.ts";
import { readMeasured } from "./measured-samples.ts";
import type { ValueReader } from "./value-reader.ts";

/** What is read; costs only where they are wanted. */
function leavesOf({ prices, projectKey }: Plan): readonly VirtualLeaf[] {
  const measures = ["latency_seconds", "total_tokens"] as const;
  const used = measures.map(
    (measure, i) => ({ kind: "usage", measure, key: -1 - i, path: [measure] }) as const,
  );
  return prices === null ? used : [...used, { kind: "cost", prices, projectKey, key: -3, path: ["cost"] }];
}

/** Reads latency and tokens of the rows of some evaluations as if they were scores: they are summed in the same way. */
export async function readUsage(
  { session, plan, scope, repeated }: Omit<ValueReader, "paths">,
  evaluationKeys: readonly number[],
): Promise<ReadonlyMap<number, UsageSamples>> {
  const leaves = leavesOf(plan);
  const used = { ...plan, evaluationKeys, virtualLeaves: leaves, countedErrors: null };
  const ranges = await session.all(compileVirtualRanges(used, leaves));
  const known = leaves.filter(({ key }) => ranges.some(({ pathKey }) => pathKey === key));
  const paths = known.map(({ key, path }): ScorePath => {
    const exponents = exponentsAmong(ranges.filter(({ pathKey }) => pathKey === key)) ?? ALL_ZERO;
    return { key, path, exponents, ancestors: [] };
  });
  const places = evaluationKeys.flatMap((evaluationKey) =>
    known.map(({ key }): ScoreSum => ({ evaluationKey, pathKey: key, kind: NUMBER, count: 0, total: 0 })),
  );
  const measured = await readMeasured({ session, plan: used, paths, scope, repeated }, places);
  const samples = new Map(measured.flatMap((series) => series.samples));
  const sampleOf = (evaluationKey: number, wanted: UsageMeasure | "cost"): RowSample | null => {
    const pathKey = leaves.find(({ path }) => path[0] === wanted)?.key ?? 0;
    return samples.get(seriesKey({ evaluationKey, pathKey })) ?? null;
  };
  const usageOf = (key: number): UsageSamples => ({
    latency_seconds: sampleOf(key, "latency_seconds"),
    total_tokens: sampleOf(key, "total_tokens"),
    ...(plan.prices === null ? {} : { cost: sampleOf(key, "cost") }),
  });
  return new Map(evaluationKeys.map((key) => [key, usageOf(key)]));
}
