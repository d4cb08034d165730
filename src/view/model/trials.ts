import type { Interval } from "../../stats/estimates/mean.ts";
import type { Shown, ShownEvaluation } from "./shown.ts";

/** How often some and all of k trials of a row pass. */
export interface TrialsPoint {
  readonly k: number;
  readonly some: number;
  readonly someInterval: Interval | null;
  readonly all: number;
  readonly allInterval: Interval | null;
  readonly rows: number;
}

/** The points of one evaluation. */
interface TrialsCurve {
  readonly one: ShownEvaluation;
  readonly points: readonly TrialsPoint[];
}

/** Of each evaluation whose rows have more than one trial: pass@k and pass^k by k. */
export function trialsCurves({ evaluations }: Shown): TrialsCurve[] {
  return evaluations
    .map((one) => ({ one, points: pointsOf(one) }))
    .filter(({ points }) => points.some(({ k }) => k > 1));
}

function pointsOf({ stats }: ShownEvaluation): TrialsPoint[] {
  const rows = stats?.pass_k_row_count ?? {};
  return Object.entries(rows)
    .map(([k, count]) => ({ k: Number(k), count }))
    .toSorted((a, b) => a.k - b.k)
    .flatMap(({ k, count }): TrialsPoint[] => {
      const [some, all] = [stats?.pass_at_k?.[k] ?? null, stats?.pass_hat_k?.[k] ?? null];
      if (count === 0 || some === null || all === null) return [];
      const someInterval = stats?.pass_at_k_confidence_interval?.[k] ?? null;
      const allInterval = stats?.pass_hat_k_confidence_interval?.[k] ?? null;
      return [{ k, some, someInterval, all, allInterval, rows: count }];
    });
}
