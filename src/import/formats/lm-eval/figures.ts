import { aggregateFigure, agrees, figureOf, unchecked, type AggregateFigure } from "../../check/agreement.ts";
import { meanOf, sumOf } from "../../check/moments.ts";
import type { ScoreBook } from "../../check/score-book.ts";
import { listAt, objectAt, textAt } from "../../read/members.ts";
import type { LogEvaluation, LogItem } from "../../translate/log-parts.ts";
import type { Json, JsonObject } from "../../../model/json.ts";

/** A figure of the results file: `acc_stderr,none`. */
const FIGURE = /^(.[^,]*?)(_stderr)?,(.+)$/s;

/** The key of a score: the name in the results file, without the filter `none`. */
export function scoreKey(metric: string, filter: string): string {
  return filter === "none" ? metric : `${metric},${filter}`;
}

/** Figures of a whole task, of which a document's numbers are the material: they mean nothing by themselves. */
const OF_TASK = new Set(
  "f1 mcc matthews_corrcoef bleu chrf ter brier_score perplexity weighted_perplexity word_perplexity byte_perplexity bits_per_byte".split(
    " ",
  ),
);

/**
 * Metrics that are a list of values in each document: its score is their mean, the figure of the task that over all
 * lists.
 */
export class ListMeans {
  readonly #config: JsonObject;
  readonly #sums = new Map<string, { sum: number; count: number }>();

  constructor(config: JsonObject) {
    this.#config = config;
  }

  /** The mean of a document's list; null where it is no score. */
  add(metric: string, key: string, values: readonly (number | boolean)[]): number | null {
    const numbers = values.map(Number);
    if (numbers.length === 0 || this.#isOfTask(metric, values)) return null;
    const sums = this.#sums.get(key) ?? { sum: 0, count: 0 };
    this.#sums.set(key, sums);
    sums.sum += sumOf(numbers);
    sums.count += numbers.length;
    return meanOf(numbers);
  }

  /** The mean over all lists; null for a metric that is none. */
  find(key: string): number | null {
    const sums = this.#sums.get(key);
    return sums === undefined ? null : sums.sum / sums.count;
  }

  #isOfTask(metric: string, values: readonly (number | boolean)[]): boolean {
    if (values.every((value) => typeof value === "boolean")) return false;
    return OF_TASK.has(metric) || OF_TASK.has(aggregationOf(this.#config, metric) ?? "");
  }
}

/**
 * How a metric becomes a figure; null where the log does not say. A metric that is only named is aggregated in its own
 * way.
 */
function aggregationOf(config: JsonObject, metric: string): string | null {
  const listed = listAt(config, "metric_list").find((one) => textAt(one, "metric") === metric);
  if (listed === undefined || metric === "acc_all") return null;
  return textAt(listed, "aggregation") ?? (metric === "perplexity" ? "perplexity" : "mean");
}

/** What the results file says of a task. */
export interface StatedTask {
  readonly config: JsonObject;
  /** The figures that the results file states. */
  readonly stated: JsonObject;
  /** How many documents it says there are; null where it does not say. */
  readonly documents: number | null;
}

/** What was read of a task. */
interface Counts {
  readonly documents: number;
  readonly refused: number;
  readonly repeated: number;
}

/** What figures are computed from, and the figures that were, by their names. */
interface Computing {
  readonly book: ScoreBook;
  readonly lists: ListMeans;
  readonly computed: Map<string, number>;
}

/** The figures that a results file states of a task. */
export function* taskFigures(
  task: StatedTask,
  { id, task: name }: LogEvaluation,
  { book, lists, computed }: Computing,
  { documents, refused, repeated }: Counts,
): Generator<LogItem> {
  if (refused + repeated > 0 || (task.documents !== null && task.documents !== documents)) {
    const parts = `${documents} of ${task.documents ?? "the"} documents were read`;
    const why = repeated > 0 ? `${parts}, and ${repeated} lines came again` : parts;
    if (refused === 0) yield { kind: "note", text: `${name}: ${why}` };
    yield unchecked(name, why);
    return;
  }
  if (task.documents !== null) yield figureOf(id, null, "n-samples", task.documents, documents);
  for (const [figureName, stated] of Object.entries(task.stated)) {
    const [, metric, stderr, filter] = FIGURE.exec(figureName) ?? [];
    const isError = stderr !== undefined;
    if (metric === undefined || filter === undefined || (isError && stated === "N/A")) continue;
    const key = scoreKey(metric, filter);
    const place = { evaluation: id, key, what: `${name} ${figureName}`, stated, isError };
    const mean = lists.find(key);
    const item =
      mean === null
        ? aggregateFigure(
            { ...place, aggregation: aggregationOf(task.config, metric) },
            book.find(id, [key])?.values ?? [],
          )
        : listFigure(place, mean);
    if (item.kind === "figure") computed.set(figureName, item.figure.computed ?? Number.NaN);
    yield item;
  }
}

/** The figure of a metric that is a list in each document: over all members of all lists. */
function listFigure(
  { evaluation, key, what, stated, isError }: Omit<AggregateFigure, "aggregation">,
  mean: number,
) {
  const found = typeof stated === "number" ? figureOf(evaluation, key, "mean", stated, mean) : null;
  if (found !== null && !isError && agrees(found.figure)) return found;
  return unchecked(what, "the log does not say how it is computed");
}

/** A group of tasks, and the figures that the results file states of it. */
export interface LmEvalGroup {
  readonly name: string;
  /** The tasks below it, also through other groups. */
  readonly tasks: readonly string[];
  readonly stated: JsonObject;
  readonly config: JsonObject;
}

/** What was computed of a task, by the names of its figures. */
export interface ComputedTask {
  readonly documents: number;
  readonly figures: ReadonlyMap<string, number>;
}

/** The groups of a run: what has subtasks, and what has figures and no task of its name. */
export function groupsOf(results: JsonObject): LmEvalGroup[] {
  const below = objectAt(results, "group_subtasks");
  const configs = objectAt(results, "configs");
  const stated = objectAt(results, "results");
  const isGroup = (name: string) => listAt(below, name).length > 0 || !Object.hasOwn(configs, name);
  const tasksOf = (name: string, above: readonly string[]): string[] =>
    listAt(below, name).flatMap((one) => {
      if (typeof one !== "string" || above.includes(one)) return [];
      return listAt(below, one).length > 0 ? tasksOf(one, [...above, one]) : [one];
    });
  return [...new Set([...Object.keys(stated), ...Object.keys(below)])].filter(isGroup).map((name) => ({
    name,
    tasks: tasksOf(name, [name]),
    stated: { ...objectAt(results, "groups", name), ...objectAt(stated, name) },
    config: objectAt(configs, name),
  }));
}

/**
 * Compares the figures of a group with those of its tasks: means over documents or over tasks, and their pooled errors.
 */
export function* groupFigures(
  { name: group, tasks, stated, config }: LmEvalGroup,
  computed: ReadonlyMap<string, ComputedTask>,
): Generator<LogItem> {
  const read = tasks.flatMap((task) => computed.get(task) ?? []);
  const isWhole = tasks.length > 0 && read.length === tasks.length;
  const samples = `it is a group, and ${read.length} of its ${tasks.length} tasks have samples`;
  if (!isWhole && Object.values(stated).some((value) => typeof value === "number"))
    yield unchecked(group, samples);
  for (const [name, value] of isWhole ? Object.entries(stated) : []) {
    const [, metric, stderr, filter] = FIGURE.exec(name) ?? [];
    if (metric === undefined || filter === undefined || typeof value !== "number") continue;
    const parts = read.flatMap(({ documents, figures }) => {
      const figure = figures.get(name);
      return figure === undefined ? [] : [{ documents, figure }];
    });
    const means = stderr === undefined ? meansOf(parts, weighting(config, metric)) : [pooledError(parts)];
    const stat = `${group} ${stderr === undefined ? "mean" : "stderr"}`;
    const found = means.map((mean) => figureOf(null, `${metric},${filter}`, stat, value, mean));
    const best = found.find(({ figure }) => agrees(figure)) ?? found[0];
    // One document a task has no pooled error.
    const isSound = parts.length === read.length && Number.isFinite(best?.figure.computed);
    const why = "not all of its tasks have this figure";
    yield best !== undefined && isSound ? best : unchecked(`${group} ${name}`, why);
  }
}

interface Part {
  readonly documents: number;
  readonly figure: number;
}

/** Whether tasks count by their documents; null where the log does not say. */
function weighting(config: JsonObject, metric: string): Json {
  const listed = listAt(config, "aggregate_metric_list").find((one) => textAt(one, "metric") === metric);
  return objectAt({ listed: listed ?? null }, "listed")["weight_by_size"] ?? null;
}

function meansOf(parts: readonly Part[], isBySize: Json): number[] {
  const byTask = meanOf(parts.map(({ figure }) => figure));
  const documents = sumOf(parts.map((part) => part.documents));
  const bySize = sumOf(parts.map((part) => part.figure * part.documents)) / documents;
  if (isBySize === null) return [bySize, byTask];
  return [isBySize === false ? byTask : bySize];
}

/** The error of a mean over documents, of the errors of the tasks (docs/statistics.md, figures over several tasks). */
function pooledError(parts: readonly Part[]): number {
  const documents = sumOf(parts.map((part) => part.documents));
  const squares = parts.map((part) => (part.documents - 1) * part.documents * part.figure ** 2);
  return Math.sqrt(sumOf(squares) / (documents - parts.length) / documents);
}
