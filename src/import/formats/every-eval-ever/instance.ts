import type { Json, JsonObject } from "../../../model/json.ts";
import { SourceFault } from "../../read/fault.ts";
import { listAt, numberAt, objectAt, omit, pick, readMembers, textAt } from "../../read/members.ts";
import { noNumberName } from "../../read/no-numbers.ts";
import type { LogEvaluation, LogTrial } from "../../translate/log-parts.ts";

const TYPES = {
  object: ["input", "output", "evaluation", "token_usage", "performance"],
  list: ["messages"],
  text: ["error", "model_id"],
};

/** One line of an instance file. */
export interface Instance {
  readonly evaluationId: string;
  readonly evaluationName: string;
  readonly model: string | null;
  readonly sample: string;
  readonly plain: JsonObject;
  readonly scores: { readonly [key: string]: Json };
}

/** Reads what identifies an instance, and its scores. Throws {@link SourceFault}. */
export function readInstance(value: Json, place: string): Instance {
  const { marked, plain } = readMembers(value, TYPES, place);
  const required = (name: string) => {
    const text = textAt(plain, name);
    if (text === null) throw new SourceFault("invalid", place, `lacks ${name}, a text`);
    return text;
  };
  return {
    evaluationId: required("evaluation_id"),
    evaluationName: required("evaluation_name"),
    model: textAt(plain, "model_id"),
    sample: required("sample_id"),
    plain,
    scores: scoresOf(objectAt(marked, "evaluation"), place),
  };
}

/** An instance as a trial; `repeat` counts those of its sample before it. */
export function trialOf(
  { sample, plain, scores }: Instance,
  evaluation: LogEvaluation,
  repeat: number,
  place: string,
): LogTrial {
  const latency = numberAt(plain, "performance", "latency_ms");
  return {
    evaluation,
    place,
    sample,
    trial: String(repeat),
    identity: { id: sample, epoch: repeat },
    stable: { sample_id: sample, input: pick(objectAt(plain, "input"), ["raw", "reference", "choices"]) },
    row: pick(plain, ["metadata"]),
    output: outputOf(plain),
    scores,
    details: detailsOf(plain),
    error: textAt(plain, "error"),
    index: repeat,
    prediction: {
      seconds: latency === null ? null : latency / 1000,
      usage: { [evaluation.model]: objectAt(plain, "token_usage") },
      messages: listAt(plain, "messages"),
      prompt: textAt(plain, "input", "formatted"),
    },
  };
}

function scoresOf(evaluation: JsonObject, place: string): { readonly [key: string]: Json } {
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

function detailsOf(members: JsonObject): JsonObject {
  const evaluation = omit(objectAt(members, "evaluation"), ["score", "is_correct"]);
  return {
    ...(Object.keys(evaluation).length === 0 ? {} : { evaluation }),
    ...pick(members, ["answer_attribution", "interaction_type"]),
    ...pick(objectAt(members, "output"), ["reasoning_trace"]),
  };
}
