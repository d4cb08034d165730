import { readSum } from "../compile/summary-scale.ts";
import { formatTimestamp } from "../model/timestamp.ts";
import type { Plan, ScorePath } from "../plan/plan.ts";
import type { KnownEvaluation, QueryCatalog } from "../plan/query-catalog.ts";
import type { EvalRequest } from "../request/eval-request.ts";

/** What SQL counted and summed. */
export interface ScoreSums {
  readonly rowCount: number;
  readonly trialCounts: ReadonlyMap<number, number>;
  readonly sums: readonly ScoreSum[];
}

/** One kind of leaf (0 number, 1 boolean, 2 text) at one place of one evaluation. */
export interface ScoreSum {
  readonly evaluationKey: number;
  readonly pathKey: number;
  readonly kind: number;
  readonly count: number;
  readonly high: bigint | null;
  readonly low: bigint | null;
  readonly plain: number | null;
}

/** Statistics of one score dimension in one evaluation. */
export interface ScorerStats {
  readonly scorer_key: string;
  readonly path: string | null;
  readonly value_type: "continuous" | "binary" | "text";
  readonly trial_count: number;
  readonly numeric_count: number;
  readonly numeric_mean: number | null;
  readonly pass_true_count: number;
  readonly pass_known_count: number;
  readonly pass_rate: number | null;
  readonly pass_signal_coverage: number;
}

export interface EvaluationSummary {
  readonly evaluation_call_id: string;
  readonly trial_count: number;
  readonly scorer_stats: readonly ScorerStats[];
  readonly evaluation_ref: string | null;
  readonly model_ref: string | null;
  readonly display_name: string | null;
  readonly trace_id: string | null;
  readonly started_at: string | null;
}

export interface Summary {
  readonly row_count: number;
  readonly evaluations: readonly EvaluationSummary[];
}

export function summarize(
  request: EvalRequest,
  catalog: QueryCatalog,
  plan: Plan | null,
  counted: ScoreSums,
): Summary {
  const paths = plan?.summary?.scorePaths ?? [];
  return {
    row_count: counted.rowCount,
    evaluations: request.evaluationIds.flatMap((id) => {
      const known = catalog.evaluations.get(id);
      return known === undefined ? [] : [summarizeEvaluation(id, known, paths, counted)];
    }),
  };
}

function summarizeEvaluation(
  id: string,
  known: KnownEvaluation,
  paths: readonly ScorePath[],
  counted: ScoreSums,
): EvaluationSummary {
  const byPath = new Map<number, ScoreSum[]>();
  for (const sum of counted.sums) {
    if (sum.evaluationKey !== known.key) continue;
    byPath.set(sum.pathKey, [...(byPath.get(sum.pathKey) ?? []), sum]);
  }
  const stats = paths.flatMap((path) => {
    const sums = byPath.get(path.key);
    return sums === undefined ? [] : [{ path, stats: scorerStats(paths, path, sums) }];
  });
  return {
    evaluation_call_id: id,
    trial_count: known.key === null ? 0 : (counted.trialCounts.get(known.key) ?? 0),
    scorer_stats: stats.toSorted((a, b) => comparePlaces(a.path.path, b.path.path)).map((one) => one.stats),
    evaluation_ref: known.evaluationRef,
    model_ref: known.modelRef,
    display_name: known.displayName,
    trace_id: known.traceId,
    started_at: known.startedAt === null ? null : formatTimestamp(known.startedAt),
  };
}

function scorerStats(paths: readonly ScorePath[], path: ScorePath, sums: readonly ScoreSum[]): ScorerStats {
  const [numbers, booleans, texts] = [0, 1, 2].map((kind) => sums.find((sum) => sum.kind === kind) ?? null);
  const total = (sum: ScoreSum | null | undefined) =>
    sum == null ? 0 : readSum(paths, path, sum.high, sum.low, sum.plain);
  const trials = (numbers?.count ?? 0) + (booleans?.count ?? 0) + (texts?.count ?? 0);
  const known = booleans?.count ?? 0;
  const passed = total(booleans);
  const [scorerKey = "", ...rest] = path.path;
  return {
    scorer_key: scorerKey,
    path: rest.length === 0 ? null : rest.join("."),
    value_type: numbers != null ? "continuous" : booleans != null ? "binary" : "text",
    trial_count: trials,
    numeric_count: numbers?.count ?? 0,
    numeric_mean: numbers == null ? null : total(numbers) / numbers.count,
    pass_true_count: passed,
    pass_known_count: known,
    pass_rate: known === 0 ? null : passed / known,
    pass_signal_coverage: known / trials,
  };
}

/** By scorer key, then path, null first; text by code point. */
function comparePlaces(a: readonly string[], b: readonly string[]): number {
  const byKey = compareText(a[0] ?? "", b[0] ?? "");
  if (byKey !== 0) return byKey;
  if (a.length === 1 || b.length === 1) return Math.min(a.length, 2) - Math.min(b.length, 2);
  return (
    compareText(a.slice(1).join("."), b.slice(1).join(".")) ||
    a.length - b.length ||
    compareText(JSON.stringify(a), JSON.stringify(b))
  );
}

function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
