import { canonicalJson } from "../../../model/digest.ts";
import type { Json, JsonObject } from "../../../model/json.ts";
import { SourceFault } from "../../read/fault.ts";
import {
  checkMembers,
  expectObject,
  listAt,
  numberAt,
  objectAt,
  pick,
  textAt,
  wholeAt,
  type MemberTypes,
} from "../../read/members.ts";
import { atMost, withoutMedia } from "../../translate/clean.ts";
import { hashOf } from "../../translate/ids.ts";
import type { LogPrediction, LogTrial } from "../../translate/log-parts.ts";
import { withTotal } from "../../translate/records.ts";
import type { PromptfooRun } from "./run.ts";

/** What the figures of a log count of a result. */
export interface Counted {
  readonly outcome: "pass" | "fail" | "error";
  readonly latencyMs: number;
  readonly tokens: number;
  /** Tokens of the graders. */
  readonly graderTokens: number;
  /** Named scores times their weights. */
  readonly weighted: { readonly [metric: string]: number };
}

const TYPES: MemberTypes = {
  object: ["vars", "response", "gradingResult", "namedScores", "tokenUsage", "testCase"],
  number: ["latencyMs", "cost", "failureReason"],
  text: ["error"],
};

const ERROR = 2;
const LONGEST_TEXT = 64 * 1024;
const LONGEST_PROMPT = 256 * 1024;
const USAGE_PARTS = ["prompt", "completion"];

/** A result as a trial. Throws {@link SourceFault}. */
export function readResult(
  value: Json,
  place: string,
  run: PromptfooRun,
): { readonly trial: LogTrial; readonly counted: Counted } {
  const result = expectObject(value, place);
  checkMembers(result, TYPES, place);
  if (typeof result["success"] !== "boolean")
    throw new SourceFault("invalid", place, "lacks success, true or false");
  const evaluation = run.evaluationOf(result);
  const error = errorOf(result);
  const response = objectAt(result, "response");
  const stable = stablePart(result);
  const testIdx = wholeAt(result, "testIdx", place);
  const usage = usageOf(result);
  const trial: LogTrial = {
    evaluation: evaluation.id,
    place,
    sample: testIdx === null ? oldSample(evaluation.id, stable, run) : String(testIdx),
    identity: pick(result, ["id", "testIdx", "promptIdx", "promptId"]),
    stable,
    row: withoutMedia(pick(objectAt(result, "testCase"), ["metadata", "assert", "threshold"])) as JsonObject,
    output: withoutMedia(response["output"] ?? null),
    others: {
      ...(numberAt(result, "cost") === null ? {} : { cost_usd: numberAt(result, "cost") }),
      ...(response["cached"] === true ? { cached: true } : {}),
    },
    scores: error === null ? scoresOf(result, place) : {},
    details: detailsOf(result, error),
    error,
    index: testIdx ?? 0,
    prediction: predictionOf(result, response, evaluation.model, usage),
  };
  return { trial, counted: countedOf(result, error, usage) };
}

function countedOf(result: JsonObject, error: string | null, usage: JsonObject): Counted {
  const ended = result["success"] === true ? "pass" : "fail";
  const grading = objectAt(result, "gradingResult");
  const graders = objectAt(objectAt(result, "tokenUsage"), "assertions");
  const weights = objectAt(grading, "namedScoreWeights");
  const scores = Object.entries(objectAt(result, "namedScores")).map(([name, score]) => [
    name,
    typeof score === "number" ? score * (numberAt(weights, name) ?? 1) : 0,
  ]);
  return {
    outcome: error === null ? ended : "error",
    latencyMs: numberAt(result, "latencyMs") ?? 0,
    tokens: numberAt(usage, "total_tokens") ?? 0,
    graderTokens: numberAt(graders, "total") ?? numberAt(objectAt(grading, "tokensUsed"), "total") ?? 0,
    weighted: Object.fromEntries(scores),
  };
}

/** Results of version 1 and 2 have no number of their test. */
function oldSample(evaluation: string, stable: Json, run: PromptfooRun): string {
  return `${hashOf(stable)}-${run.occurrence(`${evaluation} ${canonicalJson(stable)}`)}`;
}

/** The variables of the test, without those that a run sets itself. */
function stablePart(result: JsonObject): JsonObject {
  const vars = Object.entries(objectAt(result, "vars")).filter(
    ([name]) => !name.startsWith("_") && !name.startsWith("sessionId"),
  );
  const description = textAt(objectAt(result, "testCase"), "description");
  return { vars: Object.fromEntries(vars), ...(description === null ? {} : { description }) };
}

/** The text of an error; a failed assertion is none, although its reason stands in the same place. */
function errorOf(result: JsonObject): string | null {
  const { failureReason, gradingResult } = result;
  const text = textAt(result, "error");
  if (failureReason !== undefined && failureReason !== null)
    return failureReason === ERROR
      ? (text ?? textAt(objectAt(result, "response"), "error") ?? "error")
      : null;
  return gradingResult === undefined || gradingResult === null ? text : null;
}

function scoresOf(result: JsonObject, place: string): { readonly [key: string]: Json } {
  const scores: { [key: string]: Json } = { pass: result["success"] ?? null };
  const { score } = result;
  if (score !== undefined && score !== null && typeof score !== "number" && typeof score !== "bigint")
    throw new SourceFault("invalid", `${place}.score`, "is not a number");
  scores["score"] = score ?? null;
  for (const [name, value] of Object.entries(objectAt(result, "namedScores")))
    scores[Object.hasOwn(scores, name) ? `named.${name}` : name] = value;
  return scores;
}

function detailsOf(result: JsonObject, error: string | null): JsonObject {
  const grading = objectAt(result, "gradingResult");
  const assertions = listAt(grading, "componentResults").map((one) => {
    const { type, metric, value } = objectAt(one, "assertion");
    return {
      ...pick(one as JsonObject, ["pass", "score", "reason"]),
      ...(type === undefined ? {} : { type }),
      ...(metric === undefined ? {} : { metric }),
      ...(value === undefined ? {} : { value }),
    };
  });
  const graders = objectAt(objectAt(result, "tokenUsage"), "assertions");
  const reason = textAt(grading, "reason");
  return {
    ...(reason === null ? {} : { reason: atMost(reason, LONGEST_TEXT) }),
    ...(assertions.length === 0 ? {} : { assertions }),
    ...((numberAt(graders, "total") ?? 0) > 0 ? { usage: graders } : {}),
    ...(error === null ? {} : { error: { message: atMost(error, LONGEST_TEXT) } }),
  };
}

/** What the model used, without its graders. */
function usageOf(result: JsonObject): JsonObject {
  const own = objectAt(result, "tokenUsage");
  const usage = Object.keys(own).length > 0 ? own : objectAt(objectAt(result, "response"), "tokenUsage");
  const counts = pick(usage, ["prompt", "completion", "cached", "total", "numRequests"]);
  const total = numberAt(counts, "total");
  return total === null ? withTotal(counts, USAGE_PARTS) : { ...counts, total_tokens: total };
}

function predictionOf(
  result: JsonObject,
  response: JsonObject,
  model: string,
  usage: JsonObject,
): LogPrediction | null {
  const latency = numberAt(result, "latencyMs");
  const raw = textAt(objectAt(result, "prompt"), "raw");
  if (latency === null && Object.keys(usage).length === 0 && raw === null) return null;
  return {
    seconds: latency === null || response["cached"] === true ? null : latency / 1000,
    usage: Object.keys(usage).length === 0 ? {} : { [model]: usage },
    messages: null,
    ...(raw === null ? {} : { inputs: { prompt: atMost(raw, LONGEST_PROMPT) } }),
  };
}
