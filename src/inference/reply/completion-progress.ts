import { eventData } from "./event-splitter.ts";
import { isJsonObject } from "../../model/json.ts";
import { NO_COUNTS, readTokenCounts, type TokenCounts } from "../usage/usage.ts";

/** The progress of a stream, read from its events. */
export interface CompletionProgress {
  /** Reads one event, given in the pieces in which it arrived. */
  see(event: readonly Buffer[]): void;
  /** Whether `[DONE]` has arrived. */
  readonly done: boolean;
  /** Whether the model server has sent an error of its own. */
  readonly failed: boolean;
  /** Whether a first piece of text, reasoning or tool call has arrived. */
  readonly started: boolean;
  /**
   * Whether the answer is whole: as many choices as were requested have a finish reason, or the last event has arrived.
   */
  readonly finished: boolean;
  readonly counts: TokenCounts;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

const NOTHING_SEEN = { done: false, failed: false, started: false, finished: false, counts: NO_COUNTS };

/** Follows the chunks of `choices` choices. */
export function followCompletion(choices: number): CompletionProgress {
  const closed = new Set<unknown>();
  const seeChoice = (choice: unknown) => {
    if (!isJsonObject(choice)) return;
    if (typeof choice["finish_reason"] === "string") closed.add(choice["index"] ?? 0);
    progress.started ||= hasContent(choice["delta"]) || hasPiece(choice["text"]);
  };
  const progress: Mutable<CompletionProgress> = {
    ...NOTHING_SEEN,
    see(event) {
      if (progress.started && choices === 1 && isPlain(event)) return;
      const chunk = readEvent(event, progress);
      if (isJsonObject(chunk["usage"])) progress.counts = readTokenCounts(chunk["usage"]);
      if (Array.isArray(chunk["choices"])) chunk["choices"].forEach(seeChoice);
      progress.finished ||= progress.done || closed.size >= choices;
    },
  };
  return progress;
}

const FAILURES: readonly unknown[] = ["error", "response.failed"];
const LAST: readonly unknown[] = ["response.completed", "response.incomplete", ...FAILURES];
/** In the bytes of every event that is more than a piece of the answer. */
const MARKS = [...LAST.map((type) => JSON.stringify(type)), "[DONE]"];

/** Whether an event of this type ends the stream of a response. */
export function isLastEvent(type: unknown): boolean {
  return LAST.includes(type);
}

/** Follows the events of a response. */
export function followResponse(): CompletionProgress {
  const progress: Mutable<CompletionProgress> = {
    ...NOTHING_SEEN,
    see(event) {
      if (progress.started && !MARKS.some(searchIn(event))) return;
      const { type, response } = readEvent(event, progress);
      progress.started ||= typeof type === "string" && type.endsWith(".delta");
      progress.failed ||= FAILURES.includes(type);
      progress.finished ||= isLastEvent(type);
      if (isJsonObject(response) && isJsonObject(response["usage"]))
        progress.counts = readTokenCounts(response["usage"]);
    },
  };
  return progress;
}

/** The members of an event; notes the end of the stream and an error frame. */
function readEvent(
  event: readonly Buffer[],
  progress: Mutable<CompletionProgress>,
): Readonly<Record<string, unknown>> {
  const data = eventData(Buffer.concat(event).toString("utf8"));
  if (data === undefined) return {};
  if (data.startsWith("[DONE]")) progress.done = true;
  const members = parse(data);
  if (!isJsonObject(members)) return {};
  if (members["error"] !== undefined && members["error"] !== null) progress.failed = true;
  return members;
}

/**
 * Whether an event only adds to an answer under way, judged by its bytes, since most events do and need no decoding.
 * False when in doubt.
 */
function isPlain(event: readonly Buffer[]): boolean {
  const has = searchIn(event);
  if (has("[DONE]") || has('"error"')) return false;
  if (has('"usage"') && !has('"usage":null')) return false;
  return !has('"finish_reason"') || has('"finish_reason":null') || has('"finish_reason": null');
}

function searchIn(event: readonly Buffer[]): (text: string) => boolean {
  const parts = overlapping(event);
  return (text) => parts.some((part) => part.includes(text));
}

/** Longer than any text that is searched for. */
const SEAM = 32;

/** The pieces and the bytes around their borders, so that every short text of the whole lies in one of them. */
function overlapping(pieces: readonly Buffer[]): readonly Buffer[] {
  if (pieces.length === 1) return pieces;
  if (pieces.slice(1, -1).some(({ length }) => length < SEAM)) return [Buffer.concat(pieces)];
  const seams = pieces.slice(1).map((piece, at) => {
    const before = pieces[at] ?? piece;
    return Buffer.concat([before.subarray(-SEAM), piece.subarray(0, SEAM)]);
  });
  return [...pieces, ...seams];
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch {
    return undefined;
  }
}

function hasContent(delta: unknown): boolean {
  if (!isJsonObject(delta)) return false;
  return ["content", "reasoning", "reasoning_content", "tool_calls"].some((name) => hasPiece(delta[name]));
}

/** Whether there is a piece of an answer. */
function hasPiece(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}
