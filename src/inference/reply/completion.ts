import { v7 as uuidv7 } from "uuid";
import type { ApiError } from "../errors/api-error.ts";
import type { ModelRequest } from "../request/model-request.ts";
import type { HeaderSource } from "../upstream/request-headers.ts";
import {
  type Outcome,
  readTokenCounts,
  type TokenCounts,
  type UsageCaller,
  type UsageSink,
} from "../usage/usage.ts";
import { isJsonObject, type Json, type JsonObject, parseJson } from "../../model/json.ts";
import type { Endpoint } from "./endpoints.ts";

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
interface ServedCompletion {
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

/**
 * Converts a served completion to a call record, so that it can be evaluated; null without a project, and where
 * the endpoint is not recorded. The cache salt
 * is left out, since it is a secret between caller and model server.
 */
export function callOfCompletion(completion: ServedCompletion): JsonObject | null {
  const { endpoint, caller, model, request, requestId, startedAt, endedAt, streamed } = completion;
  if (caller.project === null || endpoint.operation === null) return null;
  const { cache_salt: _secret, ...inputs } = parseJson(request.text) as JsonObject;
  const output = streamed ? endpoint.assemble(completion.reply) : parseJson(completion.reply);
  const id = uuidv7();
  return {
    id,
    project_id: caller.project,
    trace_id: id,
    parent_id: null,
    op_name: endpoint.operation,
    started_at: startedAt.toISOString(),
    ended_at: endedAt.toISOString(),
    attributes: { request_id: requestId, user: caller.user, key_id: caller.keyId, streamed },
    inputs,
    output,
    summary: { usage: { [model]: usageOf(output) } },
  };
}

function usageOf(output: Json): JsonObject {
  const { promptTokens, completionTokens } = readTokenCounts(
    isJsonObject(output) ? output["usage"] : undefined,
  );
  const counts = { requests: 1, prompt_tokens: promptTokens, completion_tokens: completionTokens };
  if (promptTokens === null || completionTokens === null) return counts;
  return { ...counts, total_tokens: promptTokens + completionTokens };
}
