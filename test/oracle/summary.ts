import type { Call } from "./calls.ts";
import { isNumber, isObject, member } from "./json.ts";
import type { Json } from "./json.ts";
import { exactMean } from "./mean.ts";
import { byCodePoint } from "./order.ts";
import type { EvalRequest } from "./request.ts";
import { meansOfRows, usedBy, valuesOfRows, type BinnedValues, type Used } from "./row-values.ts";
import type { Row } from "./rows.ts";
import type { Trial } from "./trials.ts";

// `numeric_magnitude`, the mean of the absolute values, is the measure of the allowed error; responses lack it.
export type ScorerStats = {
  /** The whole path; responses lack it. */
  readonly identity: string;
  readonly scorer_key: string;
  readonly path: string | null;
  readonly trial_count: number;
  readonly value_type: "continuous" | "binary" | "text";
  readonly numeric_count: number;
  readonly numeric_mean: number | null;
  readonly numeric_magnitude: number | null;
  readonly pass_true_count: number;
  readonly pass_known_count: number;
  readonly pass_rate: number | null;
  readonly pass_signal_coverage: number;
  readonly histogram?: BinnedValues;
};

export type EvaluationSummary = {
  readonly evaluation_call_id: string;
  readonly trial_count: number;
  readonly scorer_stats: readonly ScorerStats[];
  readonly evaluation_ref: string | null;
  readonly model_ref: string | null;
  readonly display_name: string | null;
  readonly trace_id: string | null;
  readonly started_at: string | null;
  readonly predict_total_tokens: number | null;
  readonly predict_total_cost: null;
  readonly row_count?: number;
  readonly usage?: { readonly latency_seconds: Used | null; readonly total_tokens: Used | null };
};

export type Summary = {
  readonly row_count: number;
  readonly evaluations: readonly EvaluationSummary[];
};

export function summarize(
  rows: readonly Row[],
  knownEvaluationIds: readonly string[],
  calls: readonly Call[],
  request: EvalRequest,
): Summary {
  const evaluations = knownEvaluationIds.map((id) => summarizeEvaluation(id, rows, calls, request));
  const bins = request.histogram_bins ?? null;
  return {
    row_count: rows.length,
    evaluations: bins === null ? evaluations : binned(evaluations, rows, bins),
  };
}

/** Adds histograms to the dimensions that have a number in some evaluation. */
function binned(
  evaluations: readonly EvaluationSummary[],
  rows: readonly Row[],
  bins: number,
): EvaluationSummary[] {
  const valued = evaluations.map((one) => ({
    one,
    values: rowMeansByDimension(one.evaluation_call_id, rows),
  }));
  return valued.map(({ one, values }) => ({
    ...one,
    scorer_stats: one.scorer_stats.map((stats) => {
      const numeric = valued.some(({ values: own }) => own.get(stats.identity)?.numeric === true);
      if (!numeric) return stats;
      const all = valued.flatMap(({ values: own }) => own.get(stats.identity)?.means ?? []);
      const [least, most] = [Math.min(...all), Math.max(...all)];
      return { ...stats, histogram: { bins, least, most, own: values.get(stats.identity)?.means ?? [] } };
    }),
  }));
}

function rowMeansByDimension(id: string, rows: readonly Row[]) {
  const leaves = rows.flatMap((row) =>
    row.trials
      .filter((trial) => trial.evaluationId === id)
      .flatMap((trial) => leavesOf(trial.scores, []))
      .map((leaf) => ({ row: row.digest, ...leaf })),
  );
  const dimensions = new Map<string, typeof leaves>();
  for (const leaf of leaves) {
    const identity = JSON.stringify(leaf.path);
    dimensions.set(identity, [...(dimensions.get(identity) ?? []), leaf]);
  }
  return new Map(
    [...dimensions].map(([identity, own]) => {
      const numbers = own.filter(({ value }) => isNumber(value) && Number.isFinite(Number(value)));
      const counted = numbers.length > 0 ? numbers : own.filter(({ value }) => typeof value === "boolean");
      const values = valuesOfRows(counted.map(({ row, value }) => ({ row, value: Number(value) })));
      return [identity, { numeric: numbers.length > 0, means: meansOfRows(values) }];
    }),
  );
}

function usageOf(id: string, rows: readonly Row[]) {
  const of = (read: (trial: Trial) => number | null) =>
    usedBy(
      valuesOfRows(
        rows.flatMap(({ digest, trials }) =>
          trials.filter((one) => one.evaluationId === id).map((one) => ({ row: digest, value: read(one) })),
        ),
      ),
    );
  return { latency_seconds: of((one) => one.latencySeconds), total_tokens: of((one) => one.totalTokens) };
}

function sumOf(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : numbers.reduce((sum, one) => sum + one, 0);
}

function rowsTried(id: string, rows: readonly Row[]): number {
  return rows.filter((row) => row.trials.some((trial) => trial.evaluationId === id)).length;
}

function summarizeEvaluation(
  id: string,
  rows: readonly Row[],
  calls: readonly Call[],
  request: EvalRequest,
): EvaluationSummary {
  const trials = rows.flatMap((row) => row.trials).filter((trial) => trial.evaluationId === id);
  const root = calls.find((call) => call.id === id);
  return {
    evaluation_call_id: id,
    trial_count: trials.length,
    scorer_stats: scorerStats(trials),
    evaluation_ref: textOf(root, "self") ?? textOf(root, "this"),
    model_ref: textOf(root, "model"),
    display_name: root?.display_name ?? null,
    trace_id: root?.trace_id ?? null,
    started_at: root?.started_at ?? null,
    predict_total_tokens: sumOf(trials.flatMap(({ totalTokens }) => totalTokens ?? [])),
    predict_total_cost: null,
    ...(request.include_usage === true ? { usage: usageOf(id, rows) } : {}),
    ...(request.include_row_counts === true ? { row_count: rowsTried(id, rows) } : {}),
  };
}

function textOf(root: Call | undefined, input: string): string | null {
  const value = member(root?.inputs, input);
  return typeof value === "string" ? value : null;
}

type Leaf = { readonly path: readonly string[]; readonly value: boolean | number | bigint | string };

function leavesOf(value: Json, path: readonly string[]): Leaf[] {
  if (isObject(value)) return [...value].flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
  return value === null || typeof value === "object" ? [] : [{ path, value }];
}

function scorerStats(trials: readonly Trial[]): ScorerStats[] {
  const dimensions = new Map<string, { path: readonly string[]; values: Leaf["value"][] }>();
  for (const leaf of trials.flatMap((trial) => leavesOf(trial.scores, []))) {
    const identity = JSON.stringify(leaf.path);
    const dimension = dimensions.get(identity) ?? { path: leaf.path, values: [] };
    dimension.values.push(leaf.value);
    dimensions.set(identity, dimension);
  }
  return [...dimensions.values()].map(({ path, values }) => statsOf(path, values)).sort(byDimension);
}

function statsOf(
  [scorerKey = "", ...path]: readonly string[],
  values: readonly Leaf["value"][],
): ScorerStats {
  const numbers = values.filter(isNumber).map(Number).filter(Number.isFinite);
  const known = values.filter((value) => typeof value === "boolean");
  const passed = known.filter((value) => value).length;
  return {
    identity: JSON.stringify([scorerKey, ...path]),
    scorer_key: scorerKey,
    path: path.length === 0 ? null : path.join("."),
    trial_count: values.length,
    value_type: numbers.length > 0 ? "continuous" : known.length > 0 ? "binary" : "text",
    numeric_count: numbers.length,
    numeric_mean: exactMean(numbers),
    numeric_magnitude: exactMean(numbers.map(Math.abs)),
    pass_true_count: passed,
    pass_known_count: known.length,
    pass_rate: known.length === 0 ? null : passed / known.length,
    pass_signal_coverage: known.length / values.length,
  };
}

function byDimension(left: ScorerStats, right: ScorerStats): number {
  const byKey = byCodePoint(left.scorer_key, right.scorer_key);
  if (byKey !== 0) return byKey;
  if (left.path === null || right.path === null)
    return Number(left.path !== null) - Number(right.path !== null);
  return byCodePoint(left.path, right.path);
}
