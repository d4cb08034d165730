import type { Json, JsonObject } from "../../../model/json.ts";
import { agrees, figureOf, unchecked } from "../../check/agreement.ts";
import { meanOf, sumOf } from "../../check/moments.ts";
import { listAt, objectAt, textAt } from "../../read/members.ts";
import type { LogItem } from "../../translate/log-parts.ts";
import { FIGURE } from "./score-key.ts";

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

/** Compares the figures of a group with those of its tasks: means over documents or over tasks, and their pooled errors. */
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
    // Of one document a task there is no pooled error.
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
