import type { JsonObject } from "../../../model/json.ts";
import type { LogSource, ReadContext } from "../../format.ts";
import { SourceFault } from "../../read/fault.ts";
import { parsePlain, readDocument } from "../../read/json-pieces.ts";
import { expectObject, objectAt, pick, textAt } from "../../read/members.ts";
import { hashOf, rootId } from "../../translate/ids.ts";
import type { LogEvaluation } from "../../translate/log-parts.ts";
import { readTimeInName } from "../../translate/times.ts";
import { detailsName, resultsPaths } from "./file-names.ts";

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

const LONELY = "the results file is not found: the model is the one that was given, and no figure is checked";
const ZONE = "the time of the run is the one in the names of its files, which has no zone; it counts as UTC";

/** The evaluation of a task of a run. */
export function evaluationOf({ model, time, results }: LightevalRun, task: string): LogEvaluation {
  const config = objectAt(results, "config_tasks", task);
  return {
    id: rootId("lighteval", hashOf([task, time, model])),
    task,
    taskVersion: objectAt(results, "versions")[task],
    model,
    startedAt: time === null ? null : readTimeInName(time),
    spec: {
      ...pick(results, ["config_general"]),
      ...(Object.keys(config).length === 0 ? {} : { task: config }),
    },
  };
}
