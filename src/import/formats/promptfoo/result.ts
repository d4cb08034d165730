import { canonicalJson } from "../../../model/digest.ts";
import type { Json, JsonObject } from "../../../model/json.ts";
import type { ScoreBook } from "../../check/score-book.ts";
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
} from "../../read/members.ts";
import { atMost } from "../../translate/clean.ts";
import { hashOf } from "../../translate/ids.ts";
import type { LogTrial } from "../../translate/log-parts.ts";
import { withTotal } from "../../translate/usage.ts";
import type { PromptfooRun } from "./run.ts";

const TYPES = {
  object: ["vars", "response", "gradingResult", "namedScores", "tokenUsage", "testCase"],
  number: ["latencyMs", "cost", "failureReason"],
  text: ["error"],
};

const ERROR = 2;
const LONGEST_REASON = 64 * 1024;

/** Before the name of a named score, what it adds up to, times its weights. */
export const WEIGHTED = "weighted ";

/** A result as a trial; what the figures of a log count of it goes into the book. Throws {@link SourceFault}. */
export function readResult(
  value: Json | SourceFault,
  place: string,
  run: PromptfooRun,
  book: ScoreBook,
): LogTrial {
  if (value instanceof SourceFault) throw value;
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
  const scores = error === null ? scoresOf(result, place) : {};
  countResult(result, error, usage, (name, by) => book.count(evaluation.id, name, by));
  return {
    evaluation,
    place,
    sample: testIdx === null ? oldSample(evaluation.id, stable, run) : String(testIdx),
    identity: pick(result, ["id", "testIdx", "promptIdx", "promptId"]),
    stable,
    row: pick(objectAt(result, "testCase"), ["metadata", "assert", "threshold"]),
    output: response["output"] ?? null,
    others: response["cached"] === true ? { cached: true } : {},
    cost: numberAt(result, "cost"),
    scores,
    details: detailsOf(result),
    error,
    index: testIdx ?? 0,
    prediction: {
      seconds: secondsOf(result),
      usage: { [evaluation.model]: usage },
      prompt: textAt(result, "prompt", "raw"),
    },
  };
}

/** Null where the answer was kept from before. */
function secondsOf(result: JsonObject): number | null {
  const latency = numberAt(result, "latencyMs");
  return latency === null || objectAt(result, "response")["cached"] === true ? null : latency / 1000;
}

function countResult(
  result: JsonObject,
  error: string | null,
  usage: JsonObject,
  count: (name: string, by?: number) => void,
): void {
  const ended = result["success"] === true ? "pass" : "fail";
  const grading = objectAt(result, "gradingResult");
  const graders = numberAt(result, "tokenUsage", "assertions", "total");
  count(error === null ? ended : "error");
  count("latency", numberAt(result, "latencyMs") ?? 0);
  count("tokens", numberAt(usage, "total_tokens") ?? 0);
  count("grader tokens", graders ?? numberAt(grading, "tokensUsed", "total") ?? 0);
  for (const [name, score] of Object.entries(objectAt(result, "namedScores"))) {
    const weight = numberAt(grading, "namedScoreWeights", name) ?? 1;
    count(`has ${name}`);
    count(`${WEIGHTED}${name}`, typeof score === "number" ? score * weight : 0);
  }
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
  const description = textAt(result, "testCase", "description");
  return { vars: Object.fromEntries(vars), ...(description === null ? {} : { description }) };
}

/** The text of an error; a failed assertion is none, although its reason stands in the same place. */
function errorOf(result: JsonObject): string | null {
  const { failureReason, gradingResult } = result;
  const text = textAt(result, "error");
  if (failureReason !== undefined && failureReason !== null)
    return failureReason === ERROR ? (text ?? textAt(result, "response", "error") ?? "error") : null;
  return gradingResult === undefined || gradingResult === null ? text : null;
}

function scoresOf(result: JsonObject, place: string): { readonly [key: string]: Json } {
  const scores: { [key: string]: Json } = { pass: result["success"] ?? null };
  const { score } = result;
  if (score !== undefined && score !== null && typeof score !== "number" && typeof score !== "bigint")
    throw new SourceFault("invalid", `${place}.score`, "is not a number");
  scores["score"] = score ?? null;
  for (const [name, value] of Object.entries(objectAt(result, "namedScores"))) scores[namedKey(name)] = value;
  return scores;
}

/** The key of a named score: `pass` and `score` are those of the whole result. */
export function namedKey(name: string): string {
  return name === "pass" || name === "score" ? `named.${name}` : name;
}

function detailsOf(result: JsonObject): JsonObject {
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
  const graders = objectAt(result, "tokenUsage", "assertions");
  const reason = textAt(grading, "reason");
  return {
    ...(reason === null ? {} : { reason: atMost(reason, LONGEST_REASON) }),
    ...(assertions.length === 0 ? {} : { assertions }),
    ...((numberAt(graders, "total") ?? 0) > 0 ? { usage: graders } : {}),
  };
}

/** What the model used, without its graders. */
function usageOf(result: JsonObject): JsonObject {
  const own = objectAt(result, "tokenUsage");
  const usage = Object.keys(own).length > 0 ? own : objectAt(result, "response", "tokenUsage");
  const counts = pick(usage, ["prompt", "completion", "cached", "total", "numRequests"]);
  const total = numberAt(counts, "total");
  return total === null ? withTotal(counts) : { ...counts, total_tokens: total };
}
