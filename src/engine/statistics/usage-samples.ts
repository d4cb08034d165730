import { ALL_ZERO, compileVirtualRanges, exponentsAmong } from "../../compile/scores/score-records.ts";
import { NUMBER } from "../../model/score-kind.ts";
import type { Plan, ScorePath, VirtualLeaf } from "../../plan/plan.ts";
import { seriesKey, type ScoreSum, type UsageSamples } from "../../plan/results.ts";
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
    const found = leaves.map(({ key }) => samples.get(seriesKey({ evaluationKey, pathKey: key })) ?? null);
    const [latency = null, tokens = null, cost] = found;
    return { latency_seconds: latency, total_tokens: tokens, ...(cost === undefined ? {} : { cost }) };
  };
  return new Map(evaluationKeys.map((key) => [key, usageOf(key)]));
}
