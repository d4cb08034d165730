import { addCounted, countedIn } from "../../model/counting.ts";
import { scorePlace } from "../../model/field-path.ts";
import { grouped } from "../../model/grouped.ts";
import { BOOLEAN, NUMBER, TEXT } from "../../model/score-kind.ts";
import { compareDimensions } from "../../model/text-order.ts";
import { mapInSlices } from "../../model/turns.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import { traitsOf } from "../../plan/dimension-traits.ts";
import type { Plan, ScorePath } from "../../plan/plan.ts";
import type { KnownEvaluation, QueryCatalog } from "../../plan/query-catalog.ts";
import { seriesKey } from "../../model/series-key.ts";
import { type OutcomeCounts, type RowStatistics, type ScoreSum, type ScoreSums } from "../../plan/results.ts";
import type { EvalRequest } from "../../request/eval-request.ts";
import { passKOf } from "./pass-k.ts";
import { perSuccess, type SuccessFigures } from "./per-success.ts";
import type { EvaluationSummary, Outcomes, PassK, ScorerStats, Summary } from "./scorer-stats.ts";
import { uncertaintyOf, type Uncertainty } from "./statistics.ts";
import type { SummarySlices } from "./slice-stats.ts";
import type { StopReasons } from "./stop-reasons.ts";
import { usageOf } from "./usage.ts";

/** What `include_errors` adds to an evaluation. */
export type EvaluationErrors = Required<Pick<EvaluationSummary, "errors" | "other_error_count">>;

const NO_ERRORS: EvaluationErrors = { errors: [], other_error_count: 0 };

const NO_REASONS: StopReasons = { stop_reasons: [], other_stop_reason_count: 0 };

/** What a summary has beside its scores; by evaluation key, null where it was not asked for. */
export interface SummaryParts {
  readonly sliced: SummarySlices | null;
  readonly errors: ReadonlyMap<number, EvaluationErrors> | null;
  readonly spending: SuccessFigures | null;
  readonly stopped: ReadonlyMap<number, StopReasons> | null;
}

export async function summarize(
  request: EvalRequest,
  catalog: QueryCatalog,
  plan: Plan | null,
  counted: ScoreSums,
  { sliced, errors, spending, stopped }: SummaryParts,
  signal: AbortSignal | undefined,
): Promise<Summary> {
  const paths = plan?.summary?.scorePaths ?? [];
  const evaluations = await mapInSlices(
    request.evaluationIds,
    (id) => {
      const known = catalog.evaluations.get(id);
      if (known === undefined) return [];
      const key = known.key ?? NO_KEY;
      const told = errors === null ? {} : (errors.get(key) ?? NO_ERRORS);
      const why = stopped === null ? {} : (stopped.get(key) ?? NO_REASONS);
      return [{ ...summarizeEvaluation(id, known, paths, { ...counted, sliced }, request), ...told, ...why }];
    },
    signal,
  );
  return {
    row_count: counted.rowCount,
    ...(sliced === null ? {} : { slicing: sliced.slicing }),
    evaluations: withSpending(evaluations.flat(), catalog, spending),
  };
}

/** The evaluations with what a success took, which is compared among them. */
function withSpending(
  evaluations: readonly EvaluationSummary[],
  catalog: QueryCatalog,
  spending: SuccessFigures | null,
): readonly EvaluationSummary[] {
  if (spending === null) return evaluations;
  const keyOf = (id: string) => catalog.evaluations.get(id)?.key ?? NO_KEY;
  const used = evaluations.flatMap(({ evaluation_call_id: id, trial_count: trialCount, usage }) =>
    usage === undefined ? [] : [{ id, key: keyOf(id), trialCount, usage }],
  );
  const costs = new Map(perSuccess(used, spending).map((one, i) => [used[i]?.id, one]));
  return evaluations.map((one) => {
    const { usage, evaluation_call_id: id } = one;
    const found = costs.get(id) ?? null;
    return usage === undefined ? one : { ...one, usage: { ...usage, per_success: found } };
  });
}

/** The key of no evaluation; on a cluster one may have 0. */
export const NO_KEY = -1;

function summarizeEvaluation(
  id: string,
  known: KnownEvaluation,
  paths: readonly ScorePath[],
  counted: ScoreSums & { readonly sliced: SummarySlices | null },
  { includeUsage, includeRowCounts, prices }: EvalRequest,
): EvaluationSummary {
  const byPath = sumsByPath(counted.sums, known.key);
  const trialCount = counted.trialCounts.get(known.key ?? NO_KEY) ?? 0;
  const stats = paths.flatMap((path) => {
    const sums = byPath.get(path.key);
    if (sums === undefined || known.key === null) return [];
    const found = dimensionStats(path, known.key, sums, counted.rowStatistics, trialCount);
    const slices = counted.sliced?.slices.get(seriesKey({ evaluationKey: known.key, pathKey: path.key }));
    return [{ path, stats: slices === undefined ? found : { ...found, slices } }];
  });
  return {
    evaluation_call_id: id,
    trial_count: trialCount,
    scorer_stats: stats
      .toSorted((a, b) => compareDimensions(a.path.path, b.path.path))
      .map((one) => one.stats),
    evaluation_ref: known.evaluationRef,
    model_ref: known.modelRef,
    display_name: known.displayName,
    trace_id: known.traceId,
    started_at: known.startedAt === null ? null : formatTimestamp(known.startedAt),
    predict_total_tokens: counted.tokens.get(known.key ?? NO_KEY) ?? null,
    predict_total_cost: counted.costs.get(known.key ?? NO_KEY) ?? null,
    ...(includeUsage
      ? { usage: usageOf(counted.rowStatistics?.usage?.get(known.key ?? NO_KEY), prices !== null) }
      : {}),
    ...(includeRowCounts
      ? { row_count: counted.rowStatistics?.rowCounts?.get(known.key ?? NO_KEY) ?? 0 }
      : {}),
  };
}

/** The sums of one evaluation by path key. */
export function sumsByPath(sums: readonly ScoreSum[], evaluationKey: number | null): Map<number, ScoreSum[]> {
  return grouped(
    sums.filter((sum) => sum.evaluationKey === evaluationKey),
    ({ pathKey }) => pathKey,
  );
}

/** The statistics of one dimension in one evaluation, which has some value there: `sums` has an entry for each kind. */
export function dimensionStats(
  path: ScorePath,
  evaluationKey: number,
  sums: readonly ScoreSum[],
  statistics: RowStatistics | null,
  expected: number,
): ScorerStats {
  const plain = scorerStats(path, sums);
  return { ...plain, ...rowStatistics(statistics, evaluationKey, path, plain, expected) };
}

function scorerStats(path: ScorePath, sums: readonly ScoreSum[]): ScorerStats {
  const [numbers, booleans, texts] = [NUMBER, BOOLEAN, TEXT].map(
    (kind) => sums.find((sum) => sum.kind === kind) ?? null,
  );
  const trials = (numbers?.count ?? 0) + (booleans?.count ?? 0) + (texts?.count ?? 0);
  const known = booleans?.count ?? 0;
  const passed = booleans?.total ?? 0;
  const { isScore, better } = traitsOf(path);
  return {
    ...scorePlace(path.path),
    value_type: numbers != null ? "continuous" : booleans != null ? "binary" : "text",
    ...(isScore && numbers?.zeroOne === true ? { rate: true as const } : {}),
    ...(isScore ? {} : { better }),
    trial_count: trials,
    numeric_count: numbers?.count ?? 0,
    numeric_mean: numbers == null ? null : numbers.total / numbers.count,
    pass_true_count: passed,
    pass_known_count: known,
    pass_rate: known === 0 ? null : passed / known,
    pass_signal_coverage: known / trials,
    ...addCounted(sums.map(({ counted }) => counted)),
  };
}

function rowStatistics(
  statistics: RowStatistics | null,
  evaluationKey: number,
  path: ScorePath,
  stats: ScorerStats,
  expected: number,
): Partial<Uncertainty & Outcomes & PassK> & Pick<ScorerStats, "histogram"> {
  if (statistics === null) return {};
  const { samples, outcomes, passK } = statistics;
  const place = seriesKey({ evaluationKey, pathKey: path.key });
  const sample = samples.get(place) ?? null;
  const hasTexts = stats.numeric_count + stats.pass_known_count < stats.trial_count;
  // Numbers of steps pass nothing, though each is 0 or 1.
  const hasPassK = passK.length > 0 && !hasTexts && stats.better === undefined;
  const passes = sample !== null && hasPassK ? passKOf(sample, passK) : null;
  const binned = histogramOf(statistics, place, path.key);
  if (outcomes === null) return { ...passes, ...binned };
  return {
    ...uncertaintyOf(sample, stats.value_type === "continuous" ? stats.numeric_mean : stats.pass_rate),
    ...outcomesOf(outcomes, evaluationKey, path, stats.trial_count - countedIn(stats), expected),
    ...passes,
    ...binned,
  };
}

function histogramOf(
  { histograms }: RowStatistics,
  place: string,
  pathKey: number,
): Pick<ScorerStats, "histogram"> {
  const edges = histograms?.edges.get(pathKey);
  if (edges === undefined) return {};
  const counts = histograms?.counts.get(place) ?? Array<number>(edges.length - 1).fill(0);
  return { histogram: { edges, counts } };
}

/** What became of the trials of an evaluation in one dimension; `scored` of the `expected` ones have a value. */
export function outcomesOf(
  outcomes: OutcomeCounts,
  evaluationKey: number,
  { key, ancestors }: ScorePath,
  scored: number,
  expected: number,
): Outcomes {
  const count = (counts: ReadonlyMap<string, number>, pathKey: number) =>
    counts.get(seriesKey({ evaluationKey, pathKey })) ?? 0;
  const errors = count(outcomes.errored, 0) - count(outcomes.scoredErrors, key);
  const nulls = [key, ...ancestors].reduce(
    (sum, one) => sum + count(outcomes.nulls, one) - count(outcomes.erroredNulls, one),
    0,
  );
  return {
    expected_trial_count: expected,
    missing_count: expected - scored - errors - nulls,
    null_count: nulls,
    error_count: errors,
  };
}
