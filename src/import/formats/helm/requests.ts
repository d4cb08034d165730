import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import { listAt, numberAt, objectAt, pick, textAt } from "../../read/members.ts";
import { atMost } from "../../translate/clean.ts";
import type { LogPrediction, LogTrial } from "../../translate/log-parts.ts";
import { microsecondsOf } from "../../translate/times.ts";

const LONGEST_TEXT = 256 * 1024;

type AnswerParts = Pick<LogTrial, "output" | "others" | "details" | "error" | "startedAt" | "prediction">;

/** What the requests of a trial say of the model's answer. */
export function answerParts(
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
