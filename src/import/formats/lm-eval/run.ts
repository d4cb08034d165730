import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import type { LogSource, ReadContext } from "../../format.ts";
import { SourceFault } from "../../read/fault.ts";
import { readDocument, parsePlain } from "../../read/json-pieces.ts";
import {
  checkMembers,
  expectObject,
  numberAt,
  objectAt,
  pick,
  textAt,
  type MemberTypes,
} from "../../read/members.ts";
import type { SourceFile } from "../../read/source-file.ts";
import { hashOf, rootId } from "../../translate/ids.ts";
import type { LogEvaluation } from "../../translate/log-parts.ts";
import { microsecondsOf, readTimeInName } from "../../translate/times.ts";
import { resultsOf, samplesName, samplesOf, type SamplesName } from "./file-names.ts";
import { groupsOf, type LmEvalGroup } from "./groups.ts";

/** A task of a run: its samples file, and what the results file says of it. */
export interface LmEvalTask {
  readonly name: string;
  readonly file: SourceFile;
  /** Before the line in messages; empty where the samples file is the source itself. */
  readonly place: string;
  readonly config: JsonObject;
  /** The figures that the results file states. */
  readonly stated: JsonObject;
  /** How many documents it says there are; null where it does not say. */
  readonly documents: number | null;
  /** The evaluation; `first` is the first line of the samples file. */
  readonly evaluationOf: (first: JsonObject) => LogEvaluation;
}

/** A run: its tasks that have a samples file, and the names of what has none. */
interface LmEvalRun {
  readonly toolVersion: string | null;
  readonly notes: readonly string[];
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

/** Opens the results file with its samples files, or a samples file with its results file, or the samples file alone. */
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
    toolVersion: textAt(results, "lm_eval_version"),
    notes: [],
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
  return {
    id: rootId("lm-eval", hashOf([of("task_hashes", first["doc_hash"] ?? null), date, model, task])),
    task,
    taskVersion: objectAt(results, "versions")[task],
    model: modelOf(textAt(results, "model_name"), config),
    groups: groupsOf(results)
      .filter(({ tasks }) => tasks.includes(task))
      .map(({ name }) => name),
    startedAt: date === null ? null : microsecondsOf(date),
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
  const evaluationOf = (first: JsonObject) => ({ ...task.evaluationOf(first), startedAt, spec: {} });
  return { ...runOf(results, [{ ...task, evaluationOf }], []), notes: [LONELY] };
}

/** Arguments of a model that name it, in the order in which the tool looks for them. */
const NAMING = ["peft", "delta", "pretrained", "model", "path", "engine"];

/**
 * The model of a run. Where no argument names it, newer versions of the tool make up a random `model_name` and older ones
 * leave it empty; then it is the kind of model.
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
