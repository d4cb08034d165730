import type { ScorerStat, SummaryEvaluation } from "../answer.ts";
import { scoreLeaves } from "./score-leaves.ts";
import { asObject } from "./trial-record.ts";

/** Sums over the leaves of one score path. */
export interface LeafSums {
  readonly key: string;
  readonly path: string | null;
  readonly leaves: number;
  readonly numbers: number;
  readonly sum: number;
  readonly known: number;
  readonly passed: number;
}

export function scorerStat(sums: LeafSums): ScorerStat {
  return {
    scorer_key: sums.key,
    path: sums.path,
    trial_count: sums.leaves,
    numeric_count: sums.numbers,
    numeric_mean: sums.numbers === 0 ? null : sums.sum / sums.numbers,
    pass_true_count: sums.passed,
    pass_known_count: sums.known,
    pass_rate: sums.known === 0 ? null : sums.passed / sums.known,
    pass_signal_coverage: sums.known / sums.leaves,
  };
}

/** From the columns `leaves_N`, `sum_N` and `passed_N` of one evaluation. */
export function leafStats(row: Readonly<Record<string, unknown>>): ScorerStat[] {
  return scoreLeaves.flatMap(({ key, path, kind }, index) => {
    const leaves = Number(row[`leaves_${index}`] ?? 0);
    if (leaves === 0) return [];
    return scorerStat({
      key,
      path,
      leaves,
      numbers: kind === "number" ? leaves : 0,
      sum: Number(row[`sum_${index}`] ?? 0),
      known: kind === "boolean" ? leaves : 0,
      passed: Number(row[`passed_${index}`] ?? 0),
    });
  });
}

/** `root` is the evaluation's call with parsed inputs. */
export function summaryEvaluation(
  id: string,
  root: Record<string, unknown>,
  trials: number,
  stats: readonly ScorerStat[],
): SummaryEvaluation {
  const inputs = asObject(root["inputs"]);
  return {
    evaluation_call_id: id,
    trial_count: trials,
    scorer_stats: stats,
    evaluation_ref: textOrNull(inputs["self"]),
    model_ref: textOrNull(inputs["model"]),
    display_name: textOrNull(root["display_name"]),
    trace_id: textOrNull(root["trace_id"]),
    started_at: textOrNull(root["started_at"]),
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
