import { eventData } from "./event-splitter.ts";
import { isObject, NO_COUNTS, readTokenCounts, type TokenCounts } from "./usage.ts";

/** What has been learned from the events of a completion stream so far. */
export interface CompletionProgress {
  /** Takes note of one event. */
  see(event: Buffer): void;
  /** `[DONE]` has come. */
  readonly done: boolean;
  /** The model server has sent an error of its own. */
  readonly failed: boolean;
  /** A first piece of text, reasoning or tool call has come. */
  readonly started: boolean;
  /** As many choices as were asked for have said why they ended. */
  readonly finished: boolean;
  readonly counts: TokenCounts;
}

/** Follows a stream of `choices` choices. */
export function followCompletion(choices: number): CompletionProgress {
  const closed = new Set<unknown>();
  const state = { done: false, failed: false, started: false, counts: NO_COUNTS };
  const seeChoice = (choice: unknown) => {
    if (!isObject(choice)) return;
    if (typeof choice["finish_reason"] === "string") closed.add(choice["index"] ?? 0);
    state.started ||= hasContent(choice["delta"]);
  };
  return {
    see(event) {
      if (state.started && choices === 1 && isPlain(event)) return;
      const data = eventData(event.toString("utf8"));
      if (data === undefined) return;
      if (data.startsWith("[DONE]")) state.done = true;
      const chunk = parse(data);
      if (!isObject(chunk)) return;
      if (chunk["error"] !== undefined && chunk["error"] !== null) state.failed = true;
      if (isObject(chunk["usage"])) state.counts = readTokenCounts(chunk["usage"]);
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
 * True of an event that only adds to an answer under way, going by its bytes: most events do, and are not
 * worth decoding. When in doubt false.
 */
function isPlain(event: Buffer): boolean {
  if (event.includes("[DONE]") || event.includes('"error"')) return false;
  if (event.includes('"usage"') && !event.includes('"usage":null')) return false;
  return (
    !event.includes('"finish_reason"') ||
    event.includes('"finish_reason":null') ||
    event.includes('"finish_reason": null')
  );
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch {
    return undefined;
  }
}

function hasContent(delta: unknown): boolean {
  if (!isObject(delta)) return false;
  return ["content", "reasoning", "reasoning_content", "tool_calls"].some((name) => {
    const value = delta[name];
    return value !== undefined && value !== null && value !== "";
  });
}
