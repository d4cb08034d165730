import type { ReadContext } from "../../format.ts";
import { type InstanceFigures, type Instances, trialKey, trialName, type TrialName } from "./instances.ts";
import { piecesOf, STATE_FILE } from "./run.ts";
import { orRefused, SourceFault } from "../../read/fault.ts";
import type { JsonCut } from "../../read/json-cut.ts";
import { parsePlain } from "../../read/json-pieces.ts";
import { checkMembers, expectObject, listAt, numberAt, objectAt, pick, textAt } from "../../read/members.ts";
import type { SourceFile } from "../../read/source-file.ts";
import { atMost } from "../../translate/clean.ts";
import { hashOf } from "../../translate/ids.ts";
import type { LogEvaluation, LogItem, LogPrediction, LogTrial } from "../../translate/log-parts.ts";
import { microsecondsOf } from "../../translate/times.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";

const LONGEST_TEXT = 256 * 1024;

type AnswerParts = Pick<LogTrial, "output" | "others" | "details" | "error" | "startedAt" | "prediction">;

/** What the requests of a trial say of the model's answer. */
function answerParts(
  states: readonly JsonObject[],
  figures: { readonly [name: string]: number },
  model: string,
  trainTrial: number,
): AnswerParts {
  const main = states.find((state) => typeof state["reference_index"] !== "number") ?? null;
  const results = states.map((state) => objectAt(state, "result"));
  const [time] = results.map((result) => numberAt(result, "request_datetime"));
  const isCached = results.some((result) => result["cached"] === true);
  const texts = main === null ? [] : textsOf(main);
  return {
    output: texts[0] ?? null,
    others: isCached ? { cached: true } : {},
    details: {
      ...(main === null || states.length > 1 ? { requests: states.map(requestDetails) } : {}),
      ...(texts.length > 1 ? { completions: texts } : {}),
      ...pick(main ?? {}, ["output_mapping"]),
    },
    error: errorOf(states),
    startedAt: time == null || isCached ? null : microsecondsOf(time) + BigInt(trainTrial),
    prediction: predictionOf(main ?? states[0] ?? {}, isCached ? null : secondsOf(results), figures, model),
  };
}

function errorOf(states: readonly JsonObject[]): string | null {
  for (const { result } of states) {
    if (!isJsonObject(result)) return "the request was not run";
    if (result["success"] === false) return textAt(result, "error") ?? "the request failed";
  }
  return null;
}

function textsOf(state: JsonObject): Json[] {
  return listAt(state, "result", "completions").map((one) =>
    isJsonObject(one) ? (one["text"] ?? null) : null,
  );
}

function requestDetails(state: JsonObject): JsonObject {
  const completions = listAt(state, "result", "completions").map((one) =>
    isJsonObject(one) ? pick(one, ["text", "logprob"]) : {},
  );
  const prompt = atMost(promptOf(state), LONGEST_TEXT);
  return { ...pick(state, ["reference_index", "request_mode"]), prompt, completions };
}

function promptOf(state: JsonObject): string {
  return textAt(state, "request", "prompt") ?? "";
}

/** The time of all requests together; null where one has none. */
function secondsOf(results: readonly JsonObject[]): number | null {
  const times = results.map((result) => numberAt(result, "request_time"));
  return times.reduce((sum, time) => (sum === null || time === null ? null : sum + time), 0);
}

function predictionOf(
  state: JsonObject,
  seconds: number | null,
  figures: { readonly [name: string]: number },
  model: string,
): LogPrediction {
  const [completion] = listAt(state, "result", "completions");
  const tokens = listAt(completion, "tokens").length;
  const counted = tokens > 0 ? { num_output_tokens: tokens } : {};
  return {
    seconds,
    usage: { [model]: { ...counted, ...pick(figures, ["num_prompt_tokens", "num_output_tokens"]) } },
    messages: listAt(state, "request", "messages"),
    prompt: promptOf(state),
  };
}

/** The requests of one trial: several where each reference is asked by itself. */
interface TrialRequests {
  readonly key: string;
  readonly name: TrialName;
  readonly place: string;
  readonly states: JsonObject[];
}

const REQUESTS_CUT: JsonCut = {
  members: {
    request_states: { elements: { members: { result: { members: { embedding: "skip" } } } } },
  },
  others: "skip",
};

/** The trials of the requests, with the figures of their instances. */
export async function* trialsOfRequests(
  file: SourceFile,
  evaluation: LogEvaluation,
  instances: Instances,
  context: ReadContext,
): AsyncGenerator<LogItem> {
  const done = new Set<string>();
  let open: TrialRequests | null = null;
  let apart = 0;
  const trialOf = (requests: TrialRequests): LogItem => {
    const figures = instances.byTrial.get(requests.key);
    instances.byTrial.delete(requests.key);
    return { kind: "trial", trial: requestTrial(requests, figures, evaluation) };
  };
  for await (const state of statesOf(file, context)) {
    if (state.key === open?.key) open.states.push(...state.states);
    else if (done.has(state.key)) apart++;
    else {
      if (open !== null) yield trialOf(open);
      done.add(state.key);
      open = state;
    }
  }
  if (open !== null) yield trialOf(open);
  if (apart > 0)
    yield {
      kind: "note",
      text: `${apart} requests lie apart from the first of their trial and are left out`,
    };
}

/** The requests one by one. */
async function* statesOf(file: SourceFile, { refuse }: ReadContext): AsyncGenerator<TrialRequests> {
  for await (const piece of piecesOf(file, STATE_FILE, REQUESTS_CUT)) {
    const { place } = piece;
    if (place === STATE_FILE) continue;
    const state = orRefused(() => stateOf(expectObject(parsePlain(piece), place), place), place, refuse);
    if (state !== null) yield state;
  }
}

function stateOf(state: JsonObject, place: string): TrialRequests {
  checkMembers(state, { object: ["instance", "request", "result"] }, place);
  const instance = objectAt(state, "instance");
  if (instance["input"] === undefined)
    throw new SourceFault("invalid", place, "lacks its instance with an input");
  const name = trialName(instance["id"], instance["perturbation"], state, place);
  return { key: trialKey(name), name, place, states: [state] };
}

/** Trials of which there are only figures. */
export function* trialsOfInstances(
  evaluation: LogEvaluation,
  instances: Instances,
): Generator<LogItem, number> {
  for (const figures of instances.byTrial.values()) {
    const { name } = figures;
    const stable = { id: name.id, ...pick({ perturbation: name.perturbation }, ["perturbation"]) };
    const trial = trialWith(name, "per_instance_stats.json", stable, figures, evaluation);
    yield { kind: "trial", trial };
  }
  return instances.byTrial.size;
}

function requestTrial(
  { name, place, states }: TrialRequests,
  figures: InstanceFigures | undefined,
  evaluation: LogEvaluation,
): LogTrial {
  const instance = objectAt(states[0], "instance");
  const stable = pick(instance, ["id", "split", "sub_split", "perturbation", "input", "references"]);
  const bare = trialWith(name, place, stable, figures, evaluation);
  return { ...bare, ...answerParts(states, figures?.usage ?? {}, evaluation.model, name.trainTrial) };
}

function trialWith(
  name: TrialName,
  place: string,
  stable: JsonObject,
  figures: InstanceFigures | undefined,
  evaluation: LogEvaluation,
): LogTrial {
  const { id, perturbation, trainTrial } = name;
  return {
    evaluation,
    place,
    sample:
      perturbation === null ? id : `${id}:${textAt(perturbation, "name") ?? ""}:${hashOf(perturbation)}`,
    trial: String(trainTrial),
    identity: { id, ...(perturbation === null ? {} : { perturbation }), epoch: trainTrial },
    stable,
    output: null,
    scores: figures?.scores ?? {},
    details: {},
    index: trainTrial,
  };
}
