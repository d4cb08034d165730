import type { Json, JsonObject } from "../../../model/json.ts";
import { SourceFault } from "../../read/fault.ts";
import type { JsonPiece } from "../../read/json-cut.ts";
import { parsePiece } from "../../read/json-pieces.ts";
import {
  checkMembers,
  expectObject,
  listAt,
  numberAt,
  pick,
  textAt,
  wholeAt,
  type MemberTypes,
} from "../../read/members.ts";
import { noNumberName, withoutNoNumbers } from "../../read/no-numbers.ts";
import { withoutMedia } from "../../translate/clean.ts";
import type { LogEvaluation, LogPrediction, LogTrial } from "../../translate/log-parts.ts";

/** How a metric ended in a test case. */
export interface Outcome {
  readonly metric: string;
  readonly ended: "pass" | "fail" | "error";
}

interface ReadCase {
  readonly trial: LogTrial;
  readonly outcomes: readonly Outcome[];
  /** Null where the log does not say. */
  readonly passed: boolean | null;
}

const TYPES: MemberTypes = {
  list: ["metricsData", "turns"],
  boolean: ["success"],
  number: ["completionTime", "tokenCost"],
};

const OF_SYSTEM = [
  "retrievalContext",
  "toolsCalled",
  "expectedTools",
  "additionalMetadata",
  "comments",
  "tags",
];
const OF_METRIC = [
  "success",
  "threshold",
  "strictMode",
  "reason",
  "error",
  "evaluationModel",
  "evaluationCost",
];

/** A test case as a trial; `index` is its place in the file. Throws {@link SourceFault}. */
export function readTestCase(piece: JsonPiece, evaluation: LogEvaluation, index: number): ReadCase {
  const { place } = piece;
  const marked = expectObject(parsePiece(piece), place);
  const one = piece.hasNoNumbers ? expectObject(withoutNoNumbers(marked), place) : marked;
  checkMembers(one, TYPES, place);
  const clean = piece.text.includes('"data:') ? withoutMedia : (value: Json) => value;
  const turns = listAt(one, "turns").map((turn) => pick(expectObject(turn, place), ["role", "content"]));
  const isConversation = place.includes("conversationalTestCases[");
  const order = wholeAt(one, "order", place) ?? index;
  const passed = typeof one["success"] === "boolean" ? one["success"] : null;
  const metrics = metricsOf(marked, place);
  const cost = numberAt(one, "tokenCost");
  const trial: LogTrial = {
    evaluation: evaluation.id,
    place,
    sample: `${isConversation ? "conversation " : ""}${order}`,
    identity: pick(one, ["name", "order"]),
    stable: isConversation ? conversationRow(one, turns) : caseRow(one, place),
    row: clean(isConversation ? conversationRow(one, turns) : caseRow(one, place)) as JsonObject,
    output: clean(isConversation ? answerOf(turns) : (one["actualOutput"] ?? null)),
    others: cost === null ? {} : { cost_usd: cost },
    scores: { pass: passed, ...metrics.scores },
    details: { ...(clean(pick(one, OF_SYSTEM)) as JsonObject), ...metrics.details },
    index: order,
    prediction: predictionOf(numberAt(one, "completionTime"), turns.map(clean)),
  };
  return { trial, outcomes: metrics.outcomes, passed };
}

function caseRow(one: JsonObject, place: string): JsonObject {
  if (one["input"] === undefined || one["input"] === null)
    throw new SourceFault("invalid", place, "lacks its input");
  return pick(one, ["input", "expectedOutput", "context"]);
}

/** What is asked in a conversation: what the user says in it. */
function conversationRow(one: JsonObject, turns: readonly JsonObject[]): JsonObject {
  return {
    turns: turns.filter(({ role }) => role === "user"),
    ...pick(one, ["scenario", "expectedOutcome"]),
  };
}

function answerOf(turns: readonly JsonObject[]): Json {
  return turns.findLast(({ role }) => role === "assistant")?.["content"] ?? null;
}

function metricsOf(one: JsonObject, place: string) {
  const scores: { [key: string]: Json } = {};
  const details: { [key: string]: Json } = {};
  const outcomes: Outcome[] = [];
  for (const [i, value] of listAt(one, "metricsData").entries()) {
    const metric = expectObject(value, `${place}.metricsData[${i}]`);
    const name = textAt(metric, "name");
    if (name === null) throw new SourceFault("invalid", `${place}.metricsData[${i}]`, "lacks its name");
    checkMembers(metric, { text: ["error"], boolean: ["success"] }, `${place}.metricsData[${i}]`);
    const { score = null } = metric;
    const noNumber = noNumberName(score);
    if (noNumber === null && score !== null && typeof score !== "number" && typeof score !== "bigint")
      throw new SourceFault("invalid", `${place}.metricsData[${i}].score`, "is not a number");
    const failed = textAt(metric, "error");
    const key = metricKey(name);
    scores[key] = noNumber === null && failed === null ? score : null;
    const kept = withoutNoNumbers(pick(metric, OF_METRIC)) as JsonObject;
    details[key] = { ...kept, ...(noNumber === null ? {} : { value: noNumber }) };
    const ended = metric["success"] === true ? "pass" : "fail";
    outcomes.push({ metric: name, ended: failed === null ? ended : "error" });
  }
  return { scores, details, outcomes };
}

/** The key of a metric: `pass` is the outcome of the whole test case. */
export function metricKey(name: string): string {
  return name === "pass" ? "metric.pass" : name;
}

function predictionOf(seconds: number | null, turns: readonly Json[]): LogPrediction | null {
  if (seconds === null && turns.length === 0) return null;
  return { seconds, usage: {}, messages: turns.length === 0 ? null : turns };
}
