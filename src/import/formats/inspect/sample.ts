import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import { SourceFault } from "../../read/fault.ts";
import type { JsonCut, JsonPiece } from "../../read/json-cut.ts";
import { parsePiece } from "../../read/json-pieces.ts";
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
import { withoutNoNumbers } from "../../read/no-numbers.ts";
import { atMost, withoutMedia } from "../../translate/clean.ts";
import type { LogPrediction, LogTrial } from "../../translate/log-parts.ts";
import { withTotal } from "../../translate/records.ts";
import { readTime } from "../../translate/times.ts";
import type { InspectRun } from "./run.ts";
import { sampleScores } from "./scores.ts";

/** Members of a sample that are dropped while they are read. */
const LEFT_OUT = ["store", "events", "transcript", "attachments", "events_data", "timelines"];

export const SAMPLE_CUT: JsonCut = {
  members: Object.fromEntries(LEFT_OUT.map((name) => [name, "skip" as const])),
};

export const LEFT_OUT_NOTE = `left out of each sample: ${LEFT_OUT.join(", ")}`;

const TYPES: MemberTypes = {
  object: ["scores", "score", "output", "metadata", "model_usage"],
  list: ["messages", "choices"],
  number: ["working_time", "total_time"],
};

const LONGEST_TRACEBACK = 64 * 1024;
const USAGE_PARTS = ["input_tokens", "output_tokens"];

/** A sample of a log as a trial. Throws {@link SourceFault}. */
export function readSample(piece: JsonPiece, run: InspectRun): LogTrial {
  const { place } = piece;
  const marked = expectObject(parsePiece(piece), place);
  const sample = piece.hasNoNumbers ? expectObject(withoutNoNumbers(marked), place) : marked;
  checkMembers(sample, TYPES, place);
  const clean = piece.text.includes('"data:') ? withoutMedia : (one: Json) => one;
  const { id, input } = sample;
  const epoch = wholeAt(sample, "epoch", place) ?? 1;
  if (typeof id !== "string" && typeof id !== "number" && typeof id !== "bigint")
    throw new SourceFault("invalid", place, "lacks an id that is a text or a number");
  if (input === undefined) throw new SourceFault("invalid", place, "lacks its input");
  const scored = sampleScores(marked, run.onlyScorer);
  const output = objectAt(sample, "output");
  return {
    evaluation: run.evaluation.id,
    place,
    sample: String(id),
    trial: String(epoch),
    identity: { id, epoch, ...pick(sample, ["uuid"]) },
    stable: { id, input: stableMessages(input), ...pick(sample, ["target", "choices"]) },
    row: rowMembers(sample, input, clean),
    output: clean(outputOf(output)),
    others: otherMembers(sample, output),
    scores: scored.scores,
    details: { ...scored.details, ...runDetails(sample, run) },
    error: errorOf(sample),
    startedAt: readTime(sample["started_at"])?.microseconds ?? null,
    endedAt: readTime(sample["completed_at"])?.microseconds ?? null,
    index: epoch - 1,
    prediction: predictionOf(sample, output, run, clean),
  };
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

function rowMembers(sample: JsonObject, input: Json, clean: (value: Json) => Json): JsonObject {
  const metadata = objectAt(sample, "metadata");
  return {
    input: clean(stableMessages(input)),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata: clean(metadata) }),
  };
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
  const { error } = sample;
  const retries = listAt(sample, "error_retries").length;
  const traceback = textAt(error, "traceback");
  const others = Object.entries(objectAt(sample, "model_usage")).filter(
    ([model]) => model !== run.evaluation.model,
  );
  return {
    ...(errorOf(sample) === null
      ? {}
      : {
          error: {
            message: errorOf(sample),
            ...(traceback === null ? {} : { traceback: atMost(traceback, LONGEST_TRACEBACK) }),
          },
        }),
    ...(retries === 0 ? {} : { error_retries: retries }),
    ...(others.length === 0 ? {} : { usage: Object.fromEntries(others) }),
  };
}

function predictionOf(
  sample: JsonObject,
  output: JsonObject,
  run: InspectRun,
  clean: (value: Json) => Json,
): LogPrediction | null {
  const seconds =
    numberAt(sample, "working_time") ?? numberAt(sample, "total_time") ?? numberAt(output, "time");
  const { model } = run.evaluation;
  const own = objectAt(sample, "model_usage")[model];
  const messages = listAt(sample, "messages").map(clean);
  if (seconds === null && !isJsonObject(own) && messages.length === 0) return null;
  return {
    seconds,
    usage: isJsonObject(own) ? { [model]: withTotal(own, USAGE_PARTS) } : {},
    messages: messages.length === 0 ? null : messages,
  };
}
