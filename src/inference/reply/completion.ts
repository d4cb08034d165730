import type { ApiError } from "../errors/api-error.ts";
import type { ModelRequest } from "../request/model-request.ts";
import type { Endpoint } from "./endpoints.ts";
import type { HeaderSource } from "../upstream/request-headers.ts";
import {
  readTokenCounts,
  type UsageCaller,
  type Outcome,
  type TokenCounts,
  type UsageSink,
} from "../usage/usage.ts";

/** A request as it reaches the passthrough. */
export interface CompletionCall {
  readonly endpoint: Endpoint;
  readonly requestId: string;
  readonly body: Uint8Array;
  readonly headers: HeaderSource;
  readonly caller: UsageCaller;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

/** The outcome of a stream and its length. */
export interface StreamEnd {
  readonly outcome: Outcome;
  readonly bytes: number;
}

/** The reply to a request, either whole or a stream. */
export interface CompletionReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string | ReadableStream<Uint8Array>;
  /** Settles after the last byte of a stream, or once the stream has no reader; absent for a whole reply. */
  readonly ended?: Promise<StreamEnd>;
}

/** One finished completion, for sinks that keep it. `reply` is the JSON body or the raw events. */
export interface ServedCompletion {
  readonly endpoint: Endpoint;
  readonly requestId: string;
  readonly caller: UsageCaller;
  readonly model: string;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly streamed: boolean;
  readonly request: ModelRequest;
  readonly reply: string;
}

/** Receives finished completions that are kept. Must not throw. */
export interface CompletionSink {
  recordCompletion(completion: ServedCompletion): void;
}

/** The account of one request, which records it exactly once however it ends. */
export interface Account {
  readonly startedAt: Date;
  firstToken(): void;
  close(status: number, streamed: boolean, outcome: Outcome, counts: TokenCounts): void;
}

/** Starts the clock of a request. `leave` releases its slot. */
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

/** The outcome of an error; a client that went away is not a failure. */
export function outcomeOf(error: ApiError): Outcome {
  return error.facts.status === 499 ? "aborted" : "failed";
}

/** The token counts in a whole reply. */
export function countsOfReply(body: Uint8Array): TokenCounts {
  try {
    const reply = JSON.parse(new TextDecoder().decode(body)) as { usage?: unknown } | null;
    return readTokenCounts(reply?.usage);
  } catch {
    return readTokenCounts(undefined);
  }
}
