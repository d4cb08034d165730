import type { LogSource, ReadContext } from "../../format.ts";
import { SourceFault, withPlace } from "../../read/fault.ts";
import type { JsonCut, JsonPiece } from "../../read/json-cut.ts";
import { jsonPieces, parsePlain } from "../../read/json-pieces.ts";
import { expectObject, numberAt, objectAt, textAt } from "../../read/members.ts";
import type { SourceFile } from "../../read/source-file.ts";
import { hashOf, rootId } from "../../translate/ids.ts";
import type { LogEvaluation } from "../../translate/log-parts.ts";
import { microsecondsOf } from "../../translate/times.ts";
import type { JsonObject } from "../../../model/json.ts";

/** Files of a run folder that belong to the run, also those that HELM writes for its own pages. */
export const RUN_FILES = [
  "run_spec.json",
  "scenario.json",
  "scenario_state.json",
  "per_instance_stats.json",
  "stats.json",
  "instances.json",
  "display_requests.json",
  "display_predictions.json",
] as const;

type RunFile = (typeof RUN_FILES)[number];

/** Opens a file of the run folder, also a packed one; null where there is none. */
export async function openRunFile(
  { file, head, beside }: LogSource,
  name: RunFile,
): Promise<SourceFile | null> {
  const isFile = (one: string) => one === name || one === `${name}.gz` || one === `${name}.zst`;
  if (isFile(head.name)) return file;
  const found = head.siblings.find(isFile);
  return found === undefined ? null : await beside(found);
}

/**
 * The pieces of a file of the run. The place of each begins with the file's name, and is that for what is left of the
 * document.
 */
export async function* piecesOf(file: SourceFile, name: RunFile, cut: JsonCut): AsyncGenerator<JsonPiece> {
  try {
    for await (const piece of jsonPieces(file.bytes(), cut)) {
      const { place } = piece;
      yield {
        ...piece,
        place: place === "" || place.startsWith("[") ? `${name}${place}` : `${name}, ${place}`,
      };
    }
  } catch (error) {
    throw withPlace(name, error);
  }
}

export const STATE_FILE = "scenario_state.json";

/** Reads what a run folder says of the run as a whole. */
export async function readRun(
  source: LogSource,
  state: SourceFile | null,
  { table }: ReadContext,
): Promise<LogEvaluation> {
  const specification = await readObject(await openRunFile(source, "run_spec.json"), "run_spec.json");
  const scenario = await readObject(await openRunFile(source, "scenario.json"), "scenario.json");
  const requests = state === null ? null : await surveyRequests(state);
  const adapter = objectAt(specification ?? requests?.rest, "adapter_spec");
  const name = textAt(specification, "name");
  const model = textAt(adapter, "model") ?? textAt(adapter, "model_deployment") ?? table.modelName;
  if (model === undefined)
    throw new SourceFault(
      "unsupported_version",
      null,
      "lacks adapter_spec.model and adapter_spec.model_deployment; this is no form of HELM run that is known",
    );
  const first = requests?.firstTime ?? null;
  const notes: string[] = [];
  if (name === null) notes.push("run_spec.json is not beside it; the task is helm unless it is named");
  if (state === null)
    notes.push(
      `${STATE_FILE} is not there; rows are known by the ids of their instances, and no answers are`,
    );
  return {
    id: rootId("helm", hashOf([name, model, requests?.count ?? null])),
    task: table.taskName ?? taskOf(name) ?? "helm",
    model,
    startedAt: first === null ? null : microsecondsOf(first),
    notes,
    spec: {
      run_spec: specification ?? { adapter_spec: adapter },
      ...(scenario === undefined ? {} : { scenario }),
    },
  };
}

/** The name of a run without its model. */
function taskOf(name: string | null): string | null {
  return name?.replaceAll(/(^|[:,])(model|model_deployment)=[^,]*/g, "") || name;
}

async function readObject(file: SourceFile | null, name: RunFile): Promise<JsonObject | undefined> {
  if (file === null) return undefined;
  for await (const piece of piecesOf(file, name, {})) return expectObject(parsePlain(piece), name);
  return undefined;
}

/** Reads only the time of each request. */
const SURVEY_CUT: JsonCut = {
  members: {
    request_states: {
      elements: {
        members: { result: { members: { completions: "skip", embedding: "skip" } } },
        others: "skip",
      },
    },
  },
};

/** How many requests there are, and the time of the first, in seconds since 1970. */
async function surveyRequests(file: SourceFile) {
  let count = 0;
  let firstTime: number | null = null;
  let rest: JsonObject = {};
  for await (const piece of piecesOf(file, STATE_FILE, SURVEY_CUT)) {
    if (piece.place === STATE_FILE) rest = expectObject(parsePlain(piece), STATE_FILE);
    else {
      count++;
      const time = numberAt(parsePlain(piece), "result", "request_datetime");
      if (time !== null && (firstTime === null || time < firstTime)) firstTime = time;
    }
  }
  return { count, firstTime, rest };
}
