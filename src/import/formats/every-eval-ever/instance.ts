import type { Json, JsonObject } from "../../../model/json.ts";
import { SourceFault } from "../../read/fault.ts";
import {
  checkMembers,
  expectObject,
  listAt,
  numberAt,
  objectAt,
  omit,
  pick,
  textAt,
  type MemberTypes,
} from "../../read/members.ts";
import { noNumberName, withoutNoNumbers } from "../../read/no-numbers.ts";
import { atMost, withoutMedia } from "../../translate/clean.ts";
import type { LogPrediction, LogTrial } from "../../translate/log-parts.ts";
import { withTotal } from "../../translate/records.ts";

const TYPES: MemberTypes = {
  object: ["input", "output", "evaluation", "token_usage", "performance"],
  list: ["messages"],
  text: ["error", "model_id"],
};

const LONGEST_PROMPT = 256 * 1024;
const LONGEST_ERROR = 64 * 1024;
const USAGE_PARTS = ["input_tokens", "output_tokens"];

/** One line of an instance file. */
export interface Instance {
  readonly evaluationId: string;
  readonly evaluationName: string;
  readonly model: string | null;
  readonly sample: string;
  readonly members: JsonObject;
}

/** Reads what identifies an instance. Throws {@link SourceFault}. */
export function readInstance(value: Json, place: string): Instance {
  const members = expectObject(value, place);
  checkMembers(members, TYPES, place);
  const required = (name: string) => {
    const text = textAt(members, name);
    if (text === null) throw new SourceFault("invalid", place, `lacks ${name}, a text`);
    return text;
  };
  return {
    evaluationId: required("evaluation_id"),
    evaluationName: required("evaluation_name"),
    model: textAt(members, "model_id"),
    sample: required("sample_id"),
    members,
  };
}

/** An instance as a trial; `repeat` counts those of its sample before it. Throws {@link SourceFault}. */
export function trialOf(
  { sample, members }: Instance,
  evaluation: { readonly id: string; readonly model: string },
  repeat: number,
  place: string,
): LogTrial {
  const plain = withoutMedia(withoutNoNumbers(members)) as JsonObject;
  const error = textAt(plain, "error");
  return {
    evaluation: evaluation.id,
    place,
    sample,
    trial: String(repeat),
    identity: { id: sample, epoch: repeat },
    stable: { sample_id: sample, input: pick(objectAt(plain, "input"), ["raw", "reference", "choices"]) },
    row: pick(plain, ["metadata"]),
    output: outputOf(plain),
    scores: scoresOf(members, place),
    details: detailsOf(plain, error),
    error,
    index: repeat,
    prediction: predictionOf(plain, evaluation.model),
  };
}

function scoresOf(members: JsonObject, place: string): { readonly [key: string]: Json } {
  const evaluation = objectAt(members, "evaluation");
  const scores: { [key: string]: Json } = {};
  for (const [name, type] of [
    ["score", "number"],
    ["is_correct", "boolean"],
  ] as const) {
    const value = evaluation[name];
    if (value === undefined) continue;
    const isNone = value === null || noNumberName(value) !== null;
    if (!isNone && typeof value !== type && !(type === "number" && typeof value === "bigint"))
      throw new SourceFault("invalid", `${place}, evaluation.${name}`, `is not a ${type}`);
    scores[name] = isNone ? null : value;
  }
  return scores;
}

/** The answer; of a conversation the last message of the model. */
function outputOf(members: JsonObject): Json {
  const raw = objectAt(members, "output")["raw"] ?? null;
  if (raw !== null)
    return Array.isArray(raw) && raw.length === 1 ? ((raw as readonly Json[])[0] ?? null) : raw;
  const answers = listAt(members, "messages").filter((message) => textAt(message, "role") === "assistant");
  return textAt(answers.at(-1), "content");
}

function detailsOf(members: JsonObject, error: string | null): JsonObject {
  const evaluation = omit(objectAt(members, "evaluation"), ["score", "is_correct"]);
  return {
    ...(Object.keys(evaluation).length === 0 ? {} : { evaluation }),
    ...pick(members, ["answer_attribution", "interaction_type"]),
    ...pick(objectAt(members, "output"), ["reasoning_trace"]),
    ...(error === null ? {} : { error: { message: atMost(error, LONGEST_ERROR) } }),
  };
}

function predictionOf(members: JsonObject, model: string): LogPrediction | null {
  const counts = objectAt(members, "token_usage");
  const latency = numberAt(objectAt(members, "performance"), "latency_ms");
  const messages = listAt(members, "messages");
  const prompt = textAt(objectAt(members, "input"), "formatted");
  const hasUsage = Object.keys(counts).length > 0;
  if (!hasUsage && latency === null && messages.length === 0 && prompt === null) return null;
  return {
    seconds: latency === null ? null : latency / 1000,
    usage: hasUsage ? { [model]: withTotal(counts, USAGE_PARTS) } : {},
    messages: messages.length === 0 ? null : messages,
    ...(prompt === null ? {} : { inputs: { prompt: atMost(prompt, LONGEST_PROMPT) } }),
  };
}
