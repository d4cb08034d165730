import type { Call } from "./calls.ts";
import { isNumber, isObject, member } from "./json.ts";
import type { Json } from "./json.ts";
import { exactMean } from "./mean.ts";
import { byCodePoint } from "./order.ts";
import type { Row } from "./rows.ts";
import type { Trial } from "./trials.ts";

// `numeric_magnitude`, the mean of the absolute values, is the measure of the allowed error; responses lack it.
export type ScorerStats = {
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
};

export type Summary = {
  readonly row_count: number;
  readonly evaluations: readonly EvaluationSummary[];
};

export function summarize(
  rows: readonly Row[],
  knownEvaluationIds: readonly string[],
  calls: readonly Call[],
): Summary {
  return {
    row_count: rows.length,
    evaluations: knownEvaluationIds.map((id) => summarizeEvaluation(id, rows, calls)),
  };
}

function summarizeEvaluation(id: string, rows: readonly Row[], calls: readonly Call[]): EvaluationSummary {
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
