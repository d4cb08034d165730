import type { EvaluationUsage, SuccessCost, UsageStats } from "../../respond/summary/usage.ts";
import { meanOf } from "./scores.ts";
import type { Shown, ShownEvaluation } from "./shown.ts";

export type UsageKind = Exclude<keyof EvaluationUsage, "per_success" | "steps">;

/** An evaluation with its mean and what it used. */
export type Spending = ReturnType<typeof spendingOf>[number];

/**
 * The evaluations of which the mean and the usage are known; none where nothing was used: logs without times have 0
 * seconds.
 */
export function spendingOf({ evaluations, score }: Shown, kind: UsageKind) {
  const known = evaluations.flatMap((one) => {
    const mean = meanOf(one.stats);
    const usage = usageOf(one, kind);
    if (mean === null || usage === null) return [];
    return [{ one, mean, interval: one.stats?.confidence_interval ?? null, usage }];
  });
  if (known.every(({ usage }) => usage.mean === 0)) return [];
  const sign = score.lower_is_better ? -1 : 1;
  return known.map((own) => ({
    ...own,
    /** Whether another evaluation is better and uses less. */
    beaten: known.some((other) => sign * (other.mean - own.mean) > 0 && other.usage.mean < own.usage.mean),
  }));
}

/** What an evaluation used; null where it is not known of any row. */
export function usageOf({ summary }: ShownEvaluation, kind: UsageKind): UsageStats | null {
  return summary?.usage?.[kind] ?? null;
}

/** What a success took; undefined where nothing tells. */
export function successCost({ summary }: ShownEvaluation, kind: UsageKind): SuccessCost | undefined {
  return summary?.usage?.per_success?.[kind];
}
