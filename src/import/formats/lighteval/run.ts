import type { LogSource, ReadContext } from "../../format.ts";
import { SourceFault } from "../../read/fault.ts";
import { parsePlain, readDocument } from "../../read/json-pieces.ts";
import { expectObject, listAt, objectAt, pick, textAt } from "../../read/members.ts";
import type { Head } from "../../recognise/head.ts";
import { hashOf, rootId } from "../../translate/ids.ts";
import type { LogEvaluation } from "../../translate/log-parts.ts";
import { readTimeInName, TIME_IN_NAME } from "../../translate/times.ts";
import { directionsOf } from "../../../model/direction.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";

const DETAILS = new RegExp(String.raw`^details_(.+)_${TIME_IN_NAME}\.parquet(?:\.gz|\.zst)?$`, "s");
/** A model's name may be that of an organisation and of the model, with the folder of the time below. */
const LEVELS = 4;

/** What the name of a details file says: the task, and the time as it is written in names. Null for any other name. */
function detailsName(name: string): { readonly task: string; readonly time: string } | null {
  const [, task, time] = DETAILS.exec(name) ?? [];
  return task === undefined || time === undefined ? null : { task, time };
}

/**
 * Where the results of a details file may lie, seen from its folder: in it, above it, or below `results` beside
 * `details`.
 */
export function resultsPaths({ name, folders }: Head): string[] {
  const time = detailsName(name)?.time;
  if (time === undefined) return [];
  const file = `results_${time}.json`;
  const paths: string[] = [];
  for (let level = 0; level <= Math.min(LEVELS, folders.length); level++) {
    const up = "../".repeat(level);
    paths.push(`${up}${file}`);
    // The last folder has the name of the time, which folders of results have not.
    const below = folders.slice(folders.length - level, -1).join("/");
    if (folders.at(-level - 1) === "details") paths.push(`${up}../results/${below}/${file}`);
  }
  return paths;
}

/** A run, as far as its results file and the names of its files say. */
interface LightevalRun {
  readonly model: string;
  /** As it is written in the names of its files; null where the details file has another name. */
  readonly time: string | null;
  /** The task in the name of the details file. */
  readonly task: string;
  /** Empty where the results file is not found. */
  readonly results: JsonObject;
  readonly notes: readonly string[];
}

const RESULTS_CUT = { members: { summary_tasks: "skip", summary_general: "skip" } } as const;

export async function openRun(source: LogSource, { table }: ReadContext): Promise<LightevalRun> {
  const name = detailsName(source.head.name);
  const file = await source.nearby(resultsPaths(source.head));
  const results =
    file === null ? {} : expectObject(parsePlain(await readDocument(file.bytes(), RESULTS_CUT)), null);
  const general = objectAt(results, "config_general");
  const model =
    table.modelName ?? textAt(general, "model_config", "model_name") ?? textAt(general, "model_name");
  if (model === null)
    throw new SourceFault(
      "ambiguous_mapping",
      null,
      "names no model, and results_<time>.json of its time is neither beside it, nor above it, nor in the folder results: say the model with --model NAME (modelName of the option table)",
    );
  return {
    model,
    time: name?.time ?? null,
    task: table.taskName ?? name?.task ?? source.head.name.replace(/\.parquet$/, ""),
    results,
    notes: [...(file === null ? [LONELY] : []), ...(name === null ? [] : [ZONE])],
  };
}

/** Which way the scores of a metric are good: of one, or of several by name. */
function sidesOf(metric: Json): (readonly [string, unknown])[] {
  const { metric_name: name, higher_is_better: isHigher = null } = isJsonObject(metric) ? metric : {};
  if (isJsonObject(isHigher)) return Object.entries(isHigher);
  return typeof name === "string" ? [[name, isHigher]] : [];
}

const LONELY = "the results file is not found: the model is the one that was given, and no figure is checked";
const ZONE = "the time of the run is the one in the names of its files, which has no zone; it counts as UTC";

/** The evaluation of a task of a run. */
export function evaluationOf({ model, time, results, notes }: LightevalRun, task: string): LogEvaluation {
  const config = objectAt(results, "config_tasks", task);
  const metrics = ["metric", "metrics"].flatMap((name) => listAt(config, name));
  return {
    directions: directionsOf(metrics.flatMap(sidesOf)),
    id: rootId("lighteval", hashOf([task, time, model])),
    task,
    taskVersion: objectAt(results, "versions")[task],
    model,
    startedAt: time === null ? null : readTimeInName(time),
    notes,
    spec: {
      ...pick(results, ["config_general"]),
      ...(Object.keys(config).length === 0 ? {} : { task: config }),
    },
  };
}
