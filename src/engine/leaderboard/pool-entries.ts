import { pooledError, studentInterval } from "../../stats/estimates/mean.ts";
import { addCounted } from "../../model/counting.ts";
import { nameList } from "../../model/messages.ts";
import type { ExactMoments } from "../../plan/results.ts";
import type { TaskWeights } from "../../request/where.ts";
import type {
  LeaderboardEntry,
  LeaderboardScore,
  LeaderboardTask,
} from "../../respond/leaderboard/leaderboard.ts";
import type { LeaderboardCost } from "../../respond/summary/usage.ts";
import { pooledAverage } from "../../respond/summary/exact-moments.ts";
import { compareText } from "../../model/text-order.ts";
import type { ModelTasks } from "../compare/choose-evaluations.ts";
import { dimensionName } from "../../respond/compare/dimensions.ts";
import { taskName } from "../compare/task-pool.ts";
import { CONFIDENCE } from "./against-best.ts";
import type { RankedDimension } from "../../respond/leaderboard/dimensions.ts";
import { NO_SCORE } from "./entries.ts";
import { nameText } from "../../model/name-text.ts";

/** The exact sums of an evaluation's row values in each dimension; null where it has none. */
type MomentsOf = (evaluationId: string) => readonly (ExactMoments | null)[];

/**
 * The entry of a model over the entries of its tasks, the latest first; what depends on the headline score is added
 * later.
 */
export function poolEntry(
  model: string,
  tasks: readonly LeaderboardEntry[],
  weights: TaskWeights,
  latency: LeaderboardEntry["latency"],
  momentsOf: MomentsOf,
): LeaderboardEntry[] {
  const [latest] = tasks;
  if (latest === undefined) return [];
  const total = (of: (task: LeaderboardEntry) => number) => tasks.reduce((sum, task) => sum + of(task), 0);
  return [
    {
      ...latest,
      model,
      task_count: tasks.length,
      row_count: total((task) => task.row_count),
      trial_count: total((task) => task.trial_count),
      error_count: total((task) => task.error_count),
      scores: latest.scores.map((_, i) => {
        const parts = tasks.map(({ evaluation_call_id: id, scores }) => ({
          ...(scores[i] ?? NO_SCORE),
          moments: momentsOf(id)[i] ?? null,
        }));
        return poolScores(parts, weights);
      }),
      latency,
      tokens: sumOf(tasks.map(({ tokens }) => tokens)),
      cost: latest.cost === null ? null : poolCosts(tasks.flatMap(({ cost }) => cost ?? [])),
    },
  ];
}

interface TaskScore extends LeaderboardScore {
  readonly moments: ExactMoments | null;
}

function poolScores(scores: readonly TaskScore[], weights: TaskWeights): LeaderboardScore {
  const total = (of: (score: LeaderboardScore) => number) => scores.reduce((sum, one) => sum + of(one), 0);
  const known = total((one) => one.pass_known_count);
  const passed = total((one) => one.pass_true_count);
  return {
    ...meanOf(scores, weights),
    scored_row_count: total((one) => one.scored_row_count),
    pass_rate: known === 0 ? null : passed / known,
    pass_true_count: passed,
    pass_known_count: known,
    trial_count: total((one) => one.trial_count),
    missing_count: total((one) => one.missing_count),
    null_count: total((one) => one.null_count),
    error_count: total((one) => one.error_count),
    ...addCounted(scores),
  };
}

/** The pooled mean of the tasks with a value, its error and its interval by Student's t. */
function meanOf(
  scores: readonly TaskScore[],
  weights: TaskWeights,
): Pick<LeaderboardScore, "row_mean" | "standard_error" | "confidence_interval" | "interval_method"> {
  const groups = scores.filter(({ row_mean }) => row_mean !== null);
  const moments = groups.flatMap((one) => one.moments ?? []);
  if (moments.length === 0)
    return { row_mean: null, standard_error: null, confidence_interval: null, interval_method: null };
  const mean = pooledAverage(moments, weights === "rows" ? "values" : "means");
  const { standard_error, df } = pooledError(
    groups.map(({ scored_row_count: n, standard_error: error }) => ({ n, standard_error: error })),
    weights === "rows" ? "size" : "equal",
  );
  const interval = studentInterval(mean, standard_error, df, CONFIDENCE);
  return {
    row_mean: mean,
    standard_error,
    confidence_interval: interval,
    interval_method: interval === null ? null : "student-t",
  };
}

function sumOf(parts: readonly { readonly total: number | null; readonly trial_count: number }[]) {
  const totals = parts.flatMap(({ total }) => total ?? []);
  return {
    total: totals.length === 0 ? null : totals.reduce((sum, one) => sum + one, 0),
    trial_count: parts.reduce((sum, one) => sum + one.trial_count, 0),
  };
}

function poolCosts(costs: readonly LeaderboardCost[]): LeaderboardCost {
  return { ...sumOf(costs), carried_count: costs.reduce((sum, one) => sum + one.carried_count, 0) };
}

/** What is told of the tasks of a model, by name. */
export function describeTasks(
  { evaluations }: ModelTasks,
  entries: ReadonlyMap<string, LeaderboardEntry>,
  headline: number | null,
): LeaderboardTask[] {
  return evaluations
    .map(({ id, evaluationRef }): LeaderboardTask => {
      const entry = entries.get(id);
      const score = headline === null ? undefined : entry?.scores[headline];
      return {
        name: taskName(evaluationRef),
        evaluation_call_id: id,
        rows: entry?.row_count ?? 0,
        scored_rows: score?.scored_row_count ?? 0,
        mean: score?.row_mean ?? null,
      };
    })
    .toSorted(
      (a, b) =>
        compareText(a.name ?? "", b.name ?? "") || compareText(a.evaluation_call_id, b.evaluation_call_id),
    );
}

/** Names models that lack a value of the headline score in a task that others have, and tasks of one row. */
export function taskWarnings(
  models: readonly ModelTasks[],
  entries: ReadonlyMap<string, LeaderboardEntry>,
  dimensions: readonly RankedDimension[],
  headline: number | null,
): string[] {
  const hasValue = (id: string) =>
    headline === null || (entries.get(id)?.scores[headline]?.scored_row_count ?? 0) > 0;
  const owned = models.map(({ model, evaluations }) => ({
    model,
    tasks: new Set(evaluations.flatMap(({ id, evaluationRef }) => (hasValue(id) ? [evaluationRef] : []))),
  }));
  const all = [...new Set(owned.flatMap(({ tasks }) => [...tasks]))];
  return [
    ...owned.flatMap(({ model, tasks }) => {
      const lost = all.filter((task) => !tasks.has(task));
      if (lost.length === 0) return [];
      return [
        `${JSON.stringify(model)} is ordered by ${tasks.size} of ${all.length} tasks; it has no value in ${named(lost)}`,
      ];
    }),
    ...models.flatMap(({ model, evaluations }) =>
      dimensions.flatMap(({ path }, i) => {
        const single = evaluations.filter(({ id }) => entries.get(id)?.scores[i]?.scored_row_count === 1);
        if (single.length === 0) return [];
        const tasks = named(single.map(({ evaluationRef }) => evaluationRef));
        return [
          `${JSON.stringify(model)}, ${nameText(dimensionName(path.path))}: one row only has a value in ${tasks}, so the mean has no error and no interval`,
        ];
      }),
    ),
  ];
}

function named(tasks: readonly (string | null)[]): string {
  return nameList(
    tasks.map((task) => taskName(task) ?? "a task without a name").toSorted(compareText),
    nameText,
  );
}
