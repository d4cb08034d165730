import { eventData } from "./event-splitter.ts";
import { isJsonObject } from "../../model/json.ts";
import { NO_COUNTS, readTokenCounts, type TokenCounts } from "../usage/usage.ts";

/** The progress of a completion stream, read from its events. */
export interface CompletionProgress {
  /** Reads one event, given in the pieces in which it arrived. */
  see(event: readonly Buffer[]): void;
  /** Whether `[DONE]` has arrived. */
  readonly done: boolean;
  /** Whether the model server has sent an error of its own. */
  readonly failed: boolean;
  /** Whether a first piece of text, reasoning or tool call has arrived. */
  readonly started: boolean;
  /** Whether as many choices as were requested have a finish reason. */
  readonly finished: boolean;
  readonly counts: TokenCounts;
}

/** Follows a stream of `choices` choices. */
export function followCompletion(choices: number): CompletionProgress {
  const closed = new Set<unknown>();
  const state = { done: false, failed: false, started: false, counts: NO_COUNTS };
  const seeChoice = (choice: unknown) => {
    if (!isJsonObject(choice)) return;
    if (typeof choice["finish_reason"] === "string") closed.add(choice["index"] ?? 0);
    state.started ||= hasContent(choice["delta"]);
  };
  return {
    see(event) {
      if (state.started && choices === 1 && isPlain(event)) return;
      const data = eventData(Buffer.concat(event).toString("utf8"));
      if (data === undefined) return;
      if (data.startsWith("[DONE]")) state.done = true;
      const chunk = parse(data);
      if (!isJsonObject(chunk)) return;
      if (chunk["error"] !== undefined && chunk["error"] !== null) state.failed = true;
      if (isJsonObject(chunk["usage"])) state.counts = readTokenCounts(chunk["usage"]);
      if (Array.isArray(chunk["choices"])) chunk["choices"].forEach(seeChoice);
    },
    get done() {
      return state.done;
    },
    get failed() {
      return state.failed;
    },
    get started() {
      return state.started;
    },
    get finished() {
      return closed.size >= choices;
    },
    get counts() {
      return state.counts;
    },
  };
}

/**
 * Whether an event only adds to an answer under way, judged by its bytes, since most events do and need no decoding.
 * False when in doubt.
 */
function isPlain(event: readonly Buffer[]): boolean {
  const parts = overlapping(event);
  const has = (text: string) => parts.some((part) => part.includes(text));
  if (has("[DONE]") || has('"error"')) return false;
  if (has('"usage"') && !has('"usage":null')) return false;
  return !has('"finish_reason"') || has('"finish_reason":null') || has('"finish_reason": null');
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
  return ["content", "reasoning", "reasoning_content", "tool_calls"].some((name) => {
    const value = delta[name];
    return value !== undefined && value !== null && value !== "";
  });
}
