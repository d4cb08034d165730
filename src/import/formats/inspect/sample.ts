import { readEvents } from "./events.ts";
import type { InspectRun } from "./run.ts";
import { SourceFault } from "../../read/fault.ts";
import type { JsonCut, JsonPiece } from "../../read/json-cut.ts";
import { parsePiece } from "../../read/json-pieces.ts";
import {
  checkMembers,
  listAt,
  numberAt,
  objectAt,
  pick,
  readMembers,
  textAt,
  wholeAt,
} from "../../read/members.ts";
import { noNumberName, replaceNoNumbers } from "../../read/no-numbers.ts";
import { atMost } from "../../translate/clean.ts";
import type { LogPrediction, LogTrial } from "../../translate/log-parts.ts";
import { listScores } from "../../translate/score-value.ts";
import { readTime } from "../../translate/times.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import { readTextNumber } from "../../../model/numbers.ts";

interface Scores {
  readonly scores: { readonly [key: string]: Json };
  readonly details: { readonly [key: string]: Json };
}

const LETTERS: ReadonlyMap<string, number> = new Map([
  ["C", 1],
  ["P", 0.5],
  ["I", 0],
  ["N", 0],
]);
const WORDS: ReadonlyMap<string, number> = new Map([
  ["yes", 1],
  ["true", 1],
  ["no", 0],
  ["false", 0],
]);

/** The scores of a sample, by the names of the log. */
function sampleScores(sample: JsonObject, onlyScorer: string | null): Scores {
  const scores: { [key: string]: Json } = {};
  const details: { [key: string]: Json } = {};
  const named = namedScores(sample, onlyScorer);
  checkMembers(named, { object: Object.keys(named) }, "scores");
  for (const [name, score] of Object.entries(named)) {
    if (!isJsonObject(score)) continue;
    const value = scoreOf(score["value"] ?? null);
    if (value !== undefined) scores[name] = value;
    details[name] = detailsOf(score);
  }
  return { scores, details };
}

/** Logs of version 1 have one score, without a name. */
function namedScores(sample: JsonObject, onlyScorer: string | null): JsonObject {
  const single = sample["score"];
  if (!isJsonObject(sample["scores"]) && isJsonObject(single)) return { [onlyScorer ?? "score"]: single };
  return objectAt(sample, "scores");
}

/** The value as Inspect counts it; undefined for a list that is no score. */
function scoreOf(value: Json): Json | undefined {
  if (noNumberName(value) !== null) return null;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "string")
    return LETTERS.get(value) ?? WORDS.get(value.toLowerCase()) ?? readTextNumber(value) ?? value;
  if (Array.isArray(value)) return listScores(value as readonly Json[]) ?? undefined;
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const score = scoreOf(member);
    return score === undefined ? [] : [[name, score] as const];
  });
  return Object.fromEntries(members);
}

function detailsOf(score: JsonObject): JsonObject {
  const { value = null, answer, explanation, metadata, history } = score;
  return {
    value: replaceNoNumbers(value, (name) => name),
    ...(answer === undefined ? {} : { answer }),
    ...(explanation === undefined ? {} : { explanation }),
    ...(metadata === undefined ? {} : { metadata: replaceNoNumbers(metadata, (name) => name) }),
    ...(Array.isArray(history) && history.length > 0 ? { history: history.length } : {}),
  };
}

/** Members of a sample that are dropped while they are read. */
const LEFT_OUT = ["store", "timelines"];

export const SAMPLE_CUT: JsonCut = {
  members: Object.fromEntries(LEFT_OUT.map((name) => [name, "skip" as const])),
};

export const LEFT_OUT_NOTE = `left out of each sample: ${LEFT_OUT.join(", ")}`;

const TYPES = {
  object: ["scores", "score", "output", "metadata", "model_usage"],
  list: ["messages", "choices", "events"],
  number: ["working_time", "total_time"],
};

const LONGEST_TRACEBACK = 64 * 1024;

/** A sample of a log as a trial; of one that could not be read its fault comes. Throws {@link SourceFault}. */
export function readSample(piece: JsonPiece | SourceFault, run: InspectRun): LogTrial {
  if (piece instanceof SourceFault) throw piece;
  const { place } = piece;
  const { marked, plain: sample } = readMembers(parsePiece(piece), TYPES, place, piece.hasNoNumbers);
  const { id, input } = sample;
  const epoch = wholeAt(sample, "epoch", place) ?? 1;
  if (typeof id !== "string" && typeof id !== "number" && typeof id !== "bigint")
    throw new SourceFault("invalid", place, "lacks an id that is a text or a number");
  if (input === undefined) throw new SourceFault("invalid", place, "lacks its input");
  const scored = sampleScores(marked, run.onlyScorer);
  const output = objectAt(sample, "output");
  const metadata = objectAt(sample, "metadata");
  const events = readEvents(sample, run.evaluation.model);
  for (const name of ["exclude", "zero"])
    if ([sample, objectAt(sample, "invalidation")].some((one) => one[name])) run.later.add(name);
  return {
    evaluation: run.evaluation,
    place,
    sample: String(id),
    trial: String(epoch),
    identity: { id, epoch, ...pick(sample, ["uuid"]) },
    stable: { id, input: stableMessages(input), ...pick(sample, ["target", "choices"]) },
    row: Object.keys(metadata).length === 0 ? {} : { metadata },
    output: outputOf(output),
    others: otherMembers(sample, output),
    scores: scored.scores,
    details: { ...scored.details, ...runDetails(sample, run) },
    error: errorOf(sample),
    startedAt: readTime(sample["started_at"]),
    endedAt: readTime(sample["completed_at"]),
    index: epoch - 1,
    prediction: predictionOf(sample, run.evaluation.model),
    steps: events.steps,
    stopReason: limitOf(sample) ?? (errorOf(sample) === null ? events.stopReason : "error"),
  };
}

function limitOf({ limit = null }: JsonObject): string | null {
  const type = typeof limit === "string" ? limit : textAt(limit, "type");
  return type === null ? null : `limit:${type}`;
}

function predictionOf(sample: JsonObject, model: string): LogPrediction {
  const seconds = numberAt(sample, "working_time") ?? numberAt(sample, "total_time");
  return {
    seconds: seconds ?? numberAt(sample, "output", "time"),
    usage: usageOf(objectAt(sample, "model_usage"), model),
    messages: listAt(sample, "messages"),
  };
}

/** The usage of the evaluated model; where others alone were used, their sums. */
function usageOf(usage: JsonObject, model: string): { readonly [model: string]: JsonObject } {
  const counts = Object.values(usage).map((one) => objectAt(one));
  if (model in usage || counts.length === 0) return { [model]: objectAt(usage, model) };
  const names = new Set(counts.flatMap((one) => Object.keys(one)));
  const sums = [...names].map((name) => {
    const told = counts.map((one) => numberAt(one, name)).filter((count) => count !== null);
    return [name, told.length === 0 ? null : told.reduce((sum, count) => sum + count, 0)] as const;
  });
  return { [model]: Object.fromEntries(sums.filter(([, sum]) => sum !== null)) };
}

/** What is asked of a message, without what a run adds to it. */
function stableMessages(input: Json): Json {
  if (!Array.isArray(input)) return input;
  return input.map((message: Json) => {
    if (!isJsonObject(message)) return message;
    const calls = listAt(message, "tool_calls").map((call) =>
      isJsonObject(call) ? pick(call, ["function", "arguments"]) : call,
    );
    return { ...pick(message, ["role", "content"]), ...(calls.length === 0 ? {} : { tool_calls: calls }) };
  });
}

/** The text of the answer: of the last choice where there is no completion. */
function outputOf(output: JsonObject): Json {
  const { completion } = output;
  if (typeof completion === "string" && completion !== "") return completion;
  const choice = listAt(output, "choices").at(-1);
  const content = objectAt(choice, "message")["content"];
  if (typeof content === "string") return content;
  const texts = Array.isArray(content) ? content.map((part: Json) => textAt(part, "text")) : [];
  const found = texts.filter((text) => text !== null).join("\n");
  return found === "" ? (typeof completion === "string" ? completion : null) : found;
}

function otherMembers(sample: JsonObject, output: JsonObject): JsonObject {
  const { limit, invalidation } = sample;
  const reason = textAt(output, "stop_reason") ?? textAt(listAt(output, "choices").at(-1), "stop_reason");
  const limited = isJsonObject(limit)
    ? { type: limit["type"] ?? null, limit: limit["limit"] ?? null }
    : { type: limit ?? null, limit: null };
  return {
    ...(reason === null ? {} : { stop_reason: reason }),
    ...(limit === undefined || limit === null ? {} : { limit: limited }),
    ...(invalidation === undefined || invalidation === null ? {} : { invalidated: true }),
  };
}

function errorOf(sample: JsonObject): string | null {
  const { error } = sample;
  if (error === undefined || error === null) return null;
  return typeof error === "string" ? error : (textAt(error, "message") ?? "error");
}

function runDetails(sample: JsonObject, run: InspectRun): JsonObject {
  const retries = listAt(sample, "error_retries").length;
  const traceback = textAt(sample, "error", "traceback");
  const others = Object.entries(objectAt(sample, "model_usage")).filter(
    ([model]) => model !== run.evaluation.model,
  );
  return {
    ...(traceback === null
      ? {}
      : { error: { message: errorOf(sample), traceback: atMost(traceback, LONGEST_TRACEBACK) } }),
    ...(retries === 0 ? {} : { error_retries: retries }),
    ...(others.length === 0 ? {} : { usage: Object.fromEntries(others) }),
  };
}
