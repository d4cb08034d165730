import type { Format, LogSource, ReadContext } from "../../format.ts";
import { noSamples } from "../../read/fault.ts";
import type { Head } from "../../recognise/head.ts";
import { isPrefixObject, type Prefix } from "../../recognise/json-prefix.ts";
import type { LogItem } from "../../translate/log-parts.ts";
import { instanceFigures, readInstances } from "./instances.ts";
import { openRunFile, readRun, RUN_FILES, STATE_FILE } from "./run.ts";
import { trialsOfInstances, trialsOfRequests } from "./trials.ts";

/** Run folders of HELM, by their `run_spec.json` or `scenario_state.json`. */
export const helm: Format = {
  name: "helm",
  recognises: (head) => isRun(head) || isFigures(head),
  claims: (head) => (isRun(head) ? claimed(head) : []),
  read: readHelm,
};

function isRun({ json }: Head): boolean {
  if (!isPrefixObject(json) || !isPrefixObject(json["adapter_spec"])) return false;
  return isPrefixObject(json["scenario_spec"]) || Array.isArray(json["request_states"]);
}

/** Figures of a run without the run. */
function isFigures({ json }: Head): boolean {
  const first: Prefix | undefined = Array.isArray(json) ? (json[0] as Prefix | undefined) : undefined;
  if (!isPrefixObject(first)) return false;
  if ("instance_id" in first && Array.isArray(first["stats"])) return true;
  return isPrefixObject(first["name"]) && "sum_squared" in first && "count" in first;
}

/** The specification of the run claims its folder; without it, the requests do. */
function claimed({ name, siblings, json }: Head): readonly string[] {
  const isSpecification = isPrefixObject(json) && isPrefixObject(json["scenario_spec"]);
  const own = (file: string) =>
    RUN_FILES.some((one) => [one, `${one}.gz`, `${one}.zst`].includes(file)) && file !== name;
  return siblings.filter((file) => own(file) && (isSpecification || !file.startsWith("run_spec")));
}

async function* readHelm(source: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  const figuresFile = await openRunFile(source, "per_instance_stats.json");
  const state = await openRunFile(source, STATE_FILE);
  if (!isRun(source.head) || (figuresFile === null && state === null))
    throw noSamples(
      "is one file of a HELM run and holds no instances with their figures: name the folder of the run, with run_spec.json, scenario_state.json and per_instance_stats.json",
    );
  const evaluation = await readRun(source, state, context);
  const instances = await readInstances(figuresFile, context);
  if (figuresFile === null)
    yield { kind: "note", text: "per_instance_stats.json is not there; the trials have no scores" };
  if (state !== null) yield* trialsOfRequests(state, evaluation, instances, context);
  const others = yield* trialsOfInstances(evaluation, instances);
  if (state !== null && others > 0)
    yield {
      kind: "note",
      text: `${others} trials have figures and no request; their rows are known by their ids`,
    };
  const stats = await openRunFile(source, "stats.json");
  yield* instanceFigures(stats, evaluation.id, instances, context.refused());
}
