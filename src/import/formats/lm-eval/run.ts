import type { LogSource, ReadContext } from "../../format.ts";
import { groupsOf, type LmEvalGroup, type StatedTask } from "./figures.ts";
import { SourceFault } from "../../read/fault.ts";
import { parsePlain, readDocument } from "../../read/json-pieces.ts";
import {
  checkMembers,
  expectObject,
  type MemberTypes,
  numberAt,
  objectAt,
  pick,
  textAt,
} from "../../read/members.ts";
import type { SourceFile } from "../../read/source-file.ts";
import { hashOf, rootId } from "../../translate/ids.ts";
import type { LogEvaluation } from "../../translate/log-parts.ts";
import { microsecondsOf, readTimeInName, TIME_IN_NAME } from "../../translate/times.ts";
import { directionsOf } from "../../../model/direction.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";

const SAMPLES = new RegExp(String.raw`^samples_(.+)_${TIME_IN_NAME}\.jsonl(?:\.gz|\.zst)?$`);
const RESULTS = new RegExp(String.raw`_${TIME_IN_NAME}\.json(?:\.gz|\.zst)?$`);

/** A samples file, and the task that its name says. */
interface SamplesName {
  readonly name: string;
  readonly task: string;
  /** The time in the name. */
  readonly time: string;
}

/** What the name of a samples file says; null for any other name. */
function samplesName(name: string): SamplesName | null {
  const [, task, time] = SAMPLES.exec(name) ?? [];
  return task === undefined || time === undefined ? null : { name, task, time };
}

/** The samples files that belong to a results file, by the time in their names. */
export function samplesOf(results: string, siblings: readonly string[]): SamplesName[] {
  const [, time] = RESULTS.exec(results) ?? [];
  const found = siblings.map(samplesName).filter((one) => one !== null && one.time === time);
  return found.filter((one) => one !== null).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Names of files that may be the results of a samples file. */
function resultsOf({ time }: SamplesName, siblings: readonly string[]): string[] {
  return siblings.filter((name) => RESULTS.exec(name)?.[1] === time);
}

/** A task of a run: its samples file, and what the results file says of it. */
export interface LmEvalTask extends StatedTask {
  readonly name: string;
  readonly file: SourceFile;
  /** Before the line in messages; empty where the samples file is the source itself. */
  readonly place: string;
  /** The evaluation; `first` is the first line of the samples file. */
  readonly evaluationOf: (first: JsonObject) => LogEvaluation;
}

/** A run: its tasks that have a samples file, and the names of what has none. */
interface LmEvalRun {
  readonly tasks: readonly LmEvalTask[];
  readonly withoutSamples: readonly string[];
  readonly groups: readonly LmEvalGroup[];
}

const TYPES: MemberTypes = {
  object: ["results", "configs", "config", "versions", "n-samples", "group_subtasks"],
  number: ["date"],
  text: ["model_name", "lm_eval_version"],
};

const RESULTS_CUT = { members: { samples: "skip", pretty_env_info: "skip" } } as const;

/**
 * Opens the results file with its samples files, or a samples file with its results file, or the samples file alone.
 */
export async function openRun(
  source: LogSource,
  context: ReadContext,
  isSamples: boolean,
): Promise<LmEvalRun> {
  const { file, head } = source;
  if (!isSamples) {
    const results = await readResults(file);
    const files = samplesOf(head.name, head.siblings);
    const tasks: LmEvalTask[] = [];
    for (const name of files)
      tasks.push(taskOf(results, name.task, await source.beside(name.name), `${name.name}, `));
    return runOf(results, tasks, files);
  }
  const name = samplesName(head.name);
  for (const other of name === null ? [] : resultsOf(name, head.siblings)) {
    const results = await readResults(await source.beside(other));
    if (name !== null && isJsonObject(results["results"]) && isJsonObject(results["configs"]))
      return {
        ...runOf(results, [taskOf(results, name.task, file, "")], []),
        withoutSamples: [],
        groups: [],
      };
  }
  return lonelyRun(source, context, name);
}

async function readResults(file: SourceFile): Promise<JsonObject> {
  const results = expectObject(parsePlain(await readDocument(file.bytes(), RESULTS_CUT)), null);
  checkMembers(results, TYPES, null);
  return results;
}

function runOf(results: JsonObject, tasks: readonly LmEvalTask[], files: readonly SamplesName[]): LmEvalRun {
  const configs = objectAt(results, "configs");
  const read = new Set(files.map(({ task }) => taskName(configs, task)));
  const named = Object.keys(objectAt(results, "results"));
  return {
    tasks,
    withoutSamples: named.filter((task) => Object.hasOwn(configs, task) && !read.has(task)),
    groups: groupsOf(results),
  };
}

/** The task that a file name means: a task's name may hold what a file name cannot. */
function taskName(configs: JsonObject, name: string): string {
  if (Object.hasOwn(configs, name)) return name;
  return Object.keys(configs).find((task) => task.replaceAll(/[^\p{L}\p{N}_]/gu, "_") === name) ?? name;
}

function taskOf(results: JsonObject, name: string, file: SourceFile, place: string): LmEvalTask {
  const task = taskName(objectAt(results, "configs"), name);
  const config = objectAt(results, "configs", task);
  const stated = objectAt(results, "results", task);
  const documents = numberAt(results, "n-samples", task, "effective");
  return {
    name: task,
    file,
    place,
    config,
    stated,
    documents: documents ?? numberAt(stated, "sample_len"),
    evaluationOf: (first) => evaluationOf(results, task, config, first),
  };
}

function evaluationOf(results: JsonObject, task: string, spec: JsonObject, first: JsonObject): LogEvaluation {
  const config = objectAt(results, "config");
  const date = numberAt(results, "date");
  const of = (name: string, otherwise: Json) => objectAt(results, name)[task] ?? otherwise;
  const model = textAt(results, "model_name") ?? [config["model"] ?? null, config["model_args"] ?? null];
  const stated = Object.entries(objectAt(results, "higher_is_better", task));
  const figures = Object.keys(objectAt(results, "results", task));
  const named = stated.flatMap(([metric, isHigher]) =>
    [metric, ...figures.filter((one) => one.startsWith(`${metric},`))].map((one) => [one, isHigher] as const),
  );
  return {
    directions: directionsOf(named),
    id: rootId("lm-eval", hashOf([of("task_hashes", first["doc_hash"] ?? null), date, model, task])),
    task,
    taskVersion: objectAt(results, "versions")[task],
    model: modelOf(textAt(results, "model_name"), config),
    groups: groupsOf(results)
      .filter(({ tasks }) => tasks.includes(task))
      .map(({ name }) => name),
    startedAt: date === null ? null : microsecondsOf(date),
    toolVersion: textAt(results, "lm_eval_version"),
    spec: {
      task: spec,
      config,
      "n-shot": of("n-shot", null),
      higher_is_better: of("higher_is_better", null),
      ...pick(results, ["lm_eval_version", "git_hash"]),
    },
  };
}

const LONELY =
  "the results file is not beside it: model, task and time are those that were given or that its name says, and no figure is checked";

/** A samples file without its results: the caller says the model. */
function lonelyRun({ file, head }: LogSource, { table }: ReadContext, name: SamplesName | null): LmEvalRun {
  const { modelName } = table;
  if (modelName === undefined)
    throw new SourceFault(
      "ambiguous_mapping",
      null,
      "names no model, and the results file of its time is not beside it: say the model with --model NAME (modelName of the option table)",
    );
  const results = { model_name: modelName };
  const named = table.taskName ?? name?.task ?? head.name.replace(/\.jsonl?$/, "");
  const task = taskOf(results, named, file, "");
  const startedAt = name === null ? null : readTimeInName(name.time);
  const own = { startedAt, notes: [LONELY], spec: {} };
  const lonely = { ...task, evaluationOf: (first: JsonObject) => ({ ...task.evaluationOf(first), ...own }) };
  return runOf(results, [lonely], []);
}

/** Arguments of a model that name it, in the order in which the tool looks for them. */
const NAMING = ["peft", "delta", "pretrained", "model", "path", "engine"];

/**
 * The model of a run. Where no argument names it, newer versions of the tool make up a random `model_name` and older
 * ones leave it empty; then it is the kind of model.
 */
function modelOf(name: string | null, config: JsonObject): string {
  const { model_args: given } = config;
  const kind = textAt(config, "model");
  const named = NAMING.map((key) => argument(given, key)).find((value) => value !== null);
  if (named !== undefined) return name ?? named;
  return kind ?? name ?? "unknown";
}

function argument(given: unknown, key: string): string | null {
  if (typeof given === "string") {
    const found = given.split(",").find((part) => part.trimStart().startsWith(`${key}=`));
    return found === undefined ? null : found.slice(found.indexOf("=") + 1).trim() || null;
  }
  const value = isJsonObject(given) ? given[key] : undefined;
  return typeof value === "string" && value !== "" ? value : null;
}
