import type { Json, JsonObject } from "../../../model/json.ts";
import type { ScoreBook } from "../../check/score-book.ts";
import { SourceFault } from "../../read/fault.ts";
import type { JsonPiece } from "../../read/json-cut.ts";
import { parsePiece } from "../../read/json-pieces.ts";
import {
  checkMembers,
  expectObject,
  listAt,
  numberAt,
  pick,
  readMembers,
  textAt,
  wholeAt,
  type MemberTypes,
} from "../../read/members.ts";
import { noNumberName, withoutNoNumbers } from "../../read/no-numbers.ts";
import type { LogEvaluation, LogTrial } from "../../translate/log-parts.ts";

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

/** A test case as a trial; `index` is its place in the file. Counts how it ended, and its metrics. Throws {@link SourceFault}. */
export function readTestCase(
  piece: JsonPiece,
  evaluation: LogEvaluation,
  index: number,
  book: ScoreBook,
): LogTrial {
  const { place } = piece;
  const { marked, plain: one } = readMembers(parsePiece(piece), TYPES, place, piece.hasNoNumbers);
  const turns = listAt(one, "turns").map((turn) => pick(expectObject(turn, place), ["role", "content"]));
  const isConversation = place.includes("conversationalTestCases[");
  const order = wholeAt(one, "order", place) ?? index;
  const passed = typeof one["success"] === "boolean" ? one["success"] : null;
  const metrics = metricsOf(marked, place);
  const stable = isConversation ? conversationRow(one, turns) : caseRow(one, place);
  for (const outcome of metrics.outcomes) book.count(evaluation.id, outcome);
  if (passed !== null) book.count(evaluation.id, passed ? "pass" : "fail");
  return {
    evaluation,
    place,
    sample: `${isConversation ? "conversation " : ""}${order}`,
    identity: pick(one, ["name", "order"]),
    stable,
    output: isConversation ? answerOf(turns) : (one["actualOutput"] ?? null),
    cost: numberAt(one, "tokenCost"),
    scores: { pass: passed, ...metrics.scores },
    details: { ...pick(one, OF_SYSTEM), ...metrics.details },
    index: order,
    prediction: { seconds: numberAt(one, "completionTime"), messages: turns },
  };
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
  const outcomes: string[] = [];
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
    outcomes.push(`${failed === null ? ended : "error"} ${name}`);
  }
  return { scores, details, outcomes };
}

/** The key of a metric: `pass` is the outcome of the whole test case. */
export function metricKey(name: string): string {
  return name === "pass" ? "metric.pass" : name;
}
