import { meanOf } from "./scores.ts";
import type { Shown, ShownEvaluation } from "./shown.ts";

type Range = readonly [low: number, high: number];

/** What rows used: latency in seconds, or tokens. */
export interface Usage {
  readonly mean: number;
  readonly interval: Range | null;
  readonly p50: number | null;
  readonly p90: number | null;
}

export type UsageKind = "latency_seconds" | "total_tokens";

/** An evaluation with its mean and what it used. */
export interface Spending {
  readonly one: ShownEvaluation;
  readonly mean: number;
  readonly interval: Range | null;
  readonly usage: Usage;
  /** Whether another evaluation is better and uses less. */
  readonly beaten: boolean;
}

/** The evaluations of which the mean and the usage are known. */
export function spendingOf({ evaluations, told }: Shown, kind: UsageKind): Spending[] {
  const known = evaluations.flatMap((one) => {
    const mean = meanOf(one.stats);
    const usage = usageOf(one, kind);
    if (mean === null || usage === null) return [];
    return [{ one, mean, interval: one.stats?.confidence_interval ?? null, usage }];
  });
  const sign = told.lower_is_better ? -1 : 1;
  return known.map((own) => ({
    ...own,
    beaten: known.some((other) => sign * (other.mean - own.mean) > 0 && other.usage.mean < own.usage.mean),
  }));
}

/** What an evaluation used; null where it is not known of any row. */
export function usageOf({ summary }: ShownEvaluation, kind: UsageKind): Usage | null {
  const found = (summary as WithUsage | undefined)?.usage?.[kind] ?? null;
  if (found === null || found.mean === null) return null;
  return { mean: found.mean, interval: found.confidence_interval, p50: found.p50, p90: found.p90 };
}

interface KnownUsage {
  readonly mean: number | null;
  readonly confidence_interval: Range | null;
  readonly p50: number | null;
  readonly p90: number | null;
}

interface WithUsage {
  readonly usage?: Readonly<Record<UsageKind, KnownUsage | null>> | null;
}
