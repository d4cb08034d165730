import { figureOf, numberFigures, unchecked } from "../check/agreement.ts";
import { meanOf } from "../check/moments.ts";
import { numbersAt, type ScoreBook } from "../check/score-book.ts";
import type { Format, LogSource, ReadContext } from "../format.ts";
import { orRefused, SourceFault } from "../read/fault.ts";
import type { JsonCut, JsonPiece } from "../read/json-cut.ts";
import { jsonPieces, parsePiece, parsePlain } from "../read/json-pieces.ts";
import {
  checkMembers,
  expectObject,
  listAt,
  type MemberTypes,
  numberAt,
  objectAt,
  pick,
  readMembers,
  textAt,
  wholeAt,
} from "../read/members.ts";
import { noNumberName, withoutNoNumbers } from "../read/no-numbers.ts";
import type { Head } from "../recognise/head.ts";
import { isPrefixObject } from "../recognise/json-prefix.ts";
import { hashOf, rootId } from "../translate/ids.ts";
import type { LogEvaluation, LogItem, LogTrial } from "../translate/log-parts.ts";
import { readTime } from "../translate/times.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

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

/**
 * A test case as a trial; `index` is its place in the file. Counts how it ended, and its metrics. Throws {@link
 * SourceFault}.
 */
function readTestCase(piece: JsonPiece, evaluation: LogEvaluation, index: number, book: ScoreBook): LogTrial {
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
    let key = metricKey(name);
    for (let n = 2; Object.hasOwn(scores, key); n++) key = `${metricKey(name)}~${n}`;
    scores[key] = noNumber === null && failed === null ? score : null;
    const kept = withoutNoNumbers(pick(metric, OF_METRIC)) as JsonObject;
    details[key] = { ...kept, ...(noNumber === null ? {} : { value: noNumber }) };
    const ended = metric["success"] === true ? "pass" : "fail";
    outcomes.push(`${failed === null ? ended : "error"} ${name}`);
  }
  return { scores, details, outcomes };
}

/** The key of a metric: `pass` is the outcome of the whole test case. */
function metricKey(name: string): string {
  return name === "pass" ? "metric.pass" : name;
}

/** A run, and what it states of itself. */
interface DeepEvalRun {
  readonly evaluation: LogEvaluation;
  readonly stated: JsonObject;
}

const KNOWN_BY = ["name", "input", "scenario"];

const CASE_CUT: JsonCut = {
  members: Object.fromEntries(KNOWN_BY.map((name) => [name, {}])),
  others: "skip",
};

const RUN_MEMBERS: JsonCut["members"] = {
  testCases: { elements: CASE_CUT },
  conversationalTestCases: { elements: CASE_CUT },
  traceMetricsScores: "skip",
};

/** `.latest_test_run.json` holds the run in a member. */
const HEADER_CUT: JsonCut = { members: { ...RUN_MEMBERS, testRunData: { members: RUN_MEMBERS } } };

const SPEC = [
  "identifier",
  "hyperparameters",
  "prompts",
  "testFile",
  "datasetAlias",
  "datasetId",
  "runDuration",
];

/** Reads what belongs to the run. */
async function openRun({ file, head }: LogSource, { table }: ReadContext): Promise<DeepEvalRun> {
  const cases: string[] = [];
  let stated: JsonObject = {};
  for await (const piece of jsonPieces(file.bytes(), HEADER_CUT)) {
    const value = expectObject(parsePlain(piece), piece.place || null);
    if (piece.place === "") stated = isJsonObject(value["testRunData"]) ? value["testRunData"] : value;
    else cases.push(hashOf(pick(value, KNOWN_BY)));
  }
  const identifier = textAt(stated, "identifier");
  const hyperparameters = objectAt(stated, "hyperparameters");
  const model = textAt(hyperparameters, "model") ?? table.modelName;
  const startedAt = timeInName(head.name);
  const notes: string[] = [];
  if (model === undefined) notes.push("the log names no model; it is unknown unless --model says it");
  if (startedAt !== null) notes.push("the time of the run is that in the name of the file, as UTC");
  const evaluation: LogEvaluation = {
    id: rootId("deepeval", hashOf([identifier, hyperparameters, cases, stated["runDuration"] ?? null])),
    task: table.taskName ?? identifier ?? "deepeval",
    model: model ?? "unknown",
    startedAt,
    notes,
    spec: pick(stated, SPEC),
  };
  return { evaluation, stated };
}

/** Results of 3.0.0 have a time for their name, later ones `test_run_` before it. */
function timeInName(name: string): bigint | null {
  const parts = /(?:^|(?:^|_)test_run_)(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)/.exec(name);
  if (parts === null) return null;
  const [, year, month, day, hour, minute, second] = parts;
  return readTime(`${year}-${month}-${day}T${hour}:${minute}:${second}`);
}

/**
 * Compares what a log states of its run and of its metrics with its test cases, whose outcomes are counted in the book.
 */
function* statedFigures(
  stated: JsonObject,
  evaluation: string,
  { book, refused }: ReadContext,
): Generator<LogItem> {
  if (refused() > 0) {
    yield unchecked("metricsScores", `${refused()} test cases were refused`);
    return;
  }
  const counted = (...name: readonly string[]) => book.counted(evaluation, name.join(" "));
  const cases = { testPassed: counted("pass"), testFailed: counted("fail") };
  yield* numberFigures(evaluation, "pass", stated, cases);
  for (const one of listAt(stated, "metricsScores")) {
    const metric = textAt(one, "metric");
    if (metric === null) continue;
    const key = metricKey(metric);
    const ended = {
      passes: counted("pass", metric),
      fails: counted("fail", metric),
      errors: counted("error", metric),
    };
    yield* numberFigures(evaluation, key, one, ended);
    const scores = listAt(one, "scores").filter((score): score is number => typeof score === "number");
    if (book.find(evaluation, [`${key}~2`]) !== null)
      yield unchecked(`${metric} mean`, "a test case has several metrics of this name");
    else if (scores.length > 0)
      yield figureOf(evaluation, key, "mean", meanOf(scores), meanOf(numbersAt(book, evaluation, key)));
  }
}

/**
 * Results files of DeepEval: one object, read twice, because what belongs to the run stands behind the test cases. A
 * metric that failed is a failure of the judge: it has no score, and the trial is no error.
 */
export const deepeval: Format = { name: "deepeval", recognises: isResults, read: readDeepEval };

function isResults({ json, size, bytes }: Head): boolean {
  if (!isPrefixObject(json)) return false;
  const { testCases: cases, metricsScores } = isPrefixObject(json["testRunData"])
    ? json["testRunData"]
    : json;
  if (!Array.isArray(cases)) return false;
  if (Array.isArray(metricsScores)) return true;
  // What comes last is not seen of a long file.
  const first: unknown = cases[0];
  return size > bytes.length && isPrefixObject(first as never) && "input" in Object(first);
}

const CASES: JsonCut["members"] = {
  testCases: { elements: {} },
  conversationalTestCases: { elements: {} },
};

const CASES_CUT: JsonCut = {
  members: { ...CASES, testRunData: { members: CASES, others: "skip" } },
  others: "skip",
};

async function* readDeepEval(source: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  const { evaluation, stated } = await openRun(source, context);
  let cases = 0;
  for await (const piece of jsonPieces(source.file.bytes(), CASES_CUT)) {
    if (piece.place === "") continue;
    const read = () => readTestCase(piece, evaluation, cases, context.book);
    const trial = orRefused(read, piece.place, context.refuse);
    cases++;
    if (trial !== null) yield { kind: "trial", trial };
  }
  yield* statedFigures(stated, evaluation.id, context);
}
