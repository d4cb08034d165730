import type { ApiError } from "../errors/api-error.ts";
import type { ChatRequest } from "../request/chat-request.ts";
import type { HeaderSource } from "../upstream/request-headers.ts";
import {
  readTokenCounts,
  type Caller,
  type Outcome,
  type TokenCounts,
  type UsageSink,
} from "../usage/usage.ts";

/** A completion request as it reaches the passthrough. */
export interface CompletionCall {
  readonly requestId: string;
  readonly body: Uint8Array;
  readonly headers: HeaderSource;
  readonly caller: Caller;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

/** How a stream ended, and how long it was. */
export interface StreamEnd {
  readonly outcome: Outcome;
  readonly bytes: number;
}

/** What goes back: whole, or as it comes. */
export interface CompletionReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string | ReadableStream<Uint8Array>;
  /** Of a stream: settles after its last byte, or once nobody reads it. */
  readonly ended?: Promise<StreamEnd>;
}

/** One finished completion, for those who keep what was served. `reply` is the JSON body or the raw events. */
export interface ServedCompletion {
  readonly requestId: string;
  readonly caller: Caller;
  readonly model: string;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly streamed: boolean;
  readonly request: ChatRequest;
  readonly reply: string;
}

/** Where finished completions go when they are kept. Must not throw. */
export interface CompletionSink {
  recordCompletion(completion: ServedCompletion): void;
}

/** The account of one request: counts it exactly once, whatever becomes of it. */
export interface Account {
  readonly startedAt: Date;
  firstToken(): void;
  close(status: number, streamed: boolean, outcome: Outcome, counts: TokenCounts): void;
}

/** Starts the clock. `leave` gives the request's place free. */
export function openAccount(
  call: CompletionCall,
  model: string,
  sink: UsageSink | undefined,
  leave: () => void,
): Account {
  const startedAt = new Date();
  const start = performance.now();
  let firstTokenMs: number | null = null;
  let open = true;
  return {
    startedAt,
    firstToken: () => {
      firstTokenMs = performance.now() - start;
    },
    close(status, streamed, outcome, counts) {
      if (!open) return;
      open = false;
      leave();
      const { requestId, caller } = call;
      const latencyMs = performance.now() - start;
      sink?.recordUsage({
        requestId,
        ...caller,
        model,
        startedAt,
        status,
        streamed,
        outcome,
        ...counts,
        latencyMs,
        firstTokenMs,
      });
    },
  };
}

/** How an error counts: a client that went away is no failure. */
export function outcomeOf(error: ApiError): Outcome {
  return error.facts.status === 499 ? "aborted" : "failed";
}

/** The counts in a whole reply. */
export function countsOfReply(body: Uint8Array): TokenCounts {
  try {
    const reply = JSON.parse(new TextDecoder().decode(body)) as { usage?: unknown } | null;
    return readTokenCounts(reply?.usage);
  } catch {
    return readTokenCounts(undefined);
  }
}
