import type { Dispatcher } from "undici";
import type { ModelRequest } from "../request/model-request.ts";
import {
  countsOfReply,
  type Account,
  type CompletionCall,
  type CompletionReply,
  type CompletionSink,
} from "./completion.ts";
import type { InferenceConfig } from "../settings/config.ts";
import { CompletionRelay } from "./relay.ts";
import { returnedHeaders, upstreamHeaders, withoutKey } from "../upstream/request-headers.ts";
import { callUpstream, type Upstream } from "../upstream/upstream.ts";
import { plainBody, readWhole, translateRefusal } from "../upstream/upstream-reply.ts";
import { NO_COUNTS } from "../usage/usage.ts";

/** Headers of every stream, so that no intermediary buffers or changes it. */
const STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** One checked request and the server that answers it. */
interface Exchange {
  readonly call: CompletionCall;
  readonly request: ModelRequest;
  readonly model: string;
  readonly upstream: Upstream;
  /** The bytes sent upstream. */
  readonly bytes: Uint8Array;
  readonly account: Account;
  /** Aborted when the client goes away or the service stops, with an `ApiError` as the reason. */
  readonly stop: AbortController;
}

/** State that all exchanges of a passthrough share. */
export interface ExchangeContext {
  readonly config: InferenceConfig;
  readonly completions: CompletionSink | undefined;
  /** Streams under way. */
  readonly relays: Set<CompletionRelay>;
}

/** Sends the request and returns the reply: a stream when the server streams, otherwise the whole reply. */
export async function exchangeCompletion(
  context: ExchangeContext,
  exchange: Exchange,
): Promise<CompletionReply> {
  const { call, request, upstream, bytes, stop } = exchange;
  const { timeouts } = context.config;
  const reply = await callUpstream(upstream, {
    method: "POST",
    path: call.endpoint.path,
    headers: {
      ...upstreamHeaders(upstream, call.headers, call.caller.project),
      "content-type": "application/json",
    },
    body: bytes,
    headersTimeoutMs: request.stream ? timeouts.stream_headers_ms : timeouts.headers_ms,
    stop,
  });
  const isStream = call.endpoint.streams && isEventStream(reply);
  return isStream ? relayReply(context, exchange, reply) : wholeReply(context, exchange, reply);
}

function isEventStream(reply: Dispatcher.ResponseData): boolean {
  const type = String(reply.headers["content-type"] ?? "");
  return reply.statusCode === 200 && /^text\/event-stream\s*(;|$)/i.test(type);
}

async function wholeReply(
  context: ExchangeContext,
  exchange: Exchange,
  reply: Dispatcher.ResponseData,
): Promise<CompletionReply> {
  const { account, request, upstream } = exchange;
  const source = plainBody(reply.body, reply.headers["content-encoding"]);
  const body = await readWhole(source, context.config.timeouts.idle_ms);
  const headers = returnedHeaders(reply.headers);
  if (reply.statusCode !== 200) {
    const refusal = translateRefusal(reply.statusCode, withoutKey(body, upstream.apiKey));
    account.close(refusal.status, request.stream, "failed", NO_COUNTS);
    return { ...refusal, headers: { ...headers, "content-type": "application/json" } };
  }
  account.close(200, false, "ok", countsOfReply(body));
  if (context.completions !== undefined)
    keep(context.completions, exchange, new TextDecoder().decode(body), false);
  const type = reply.headers["content-type"];
  return {
    status: 200,
    headers: { ...headers, "content-type": typeof type === "string" ? type : "application/json" },
    body,
  };
}

function relayReply(
  { config, completions, relays }: ExchangeContext,
  exchange: Exchange,
  reply: Dispatcher.ResponseData,
): CompletionReply {
  const source = plainBody(reply.body, reply.headers["content-encoding"]);
  const events = keepEvents();
  const relay: CompletionRelay = new CompletionRelay(source, {
    endpoint: exchange.call.endpoint,
    choices: exchange.request.choices,
    idleMs: config.timeouts.idle_ms,
    keepAliveMs: config.keep_alive_ms,
    apiKey: exchange.upstream.apiKey,
    onStart: () => exchange.account.firstToken(),
    ...(completions === undefined ? {} : { onEvents: events.add }),
    onEnd(outcome, progress) {
      relays.delete(relay);
      exchange.account.close(200, true, outcome, progress.counts);
      const whole = events.whole();
      if (completions !== undefined && outcome === "ok" && whole !== undefined)
        keep(completions, exchange, whole, true);
    },
  });
  relays.add(relay);
  exchange.stop.signal.addEventListener("abort", () => relay.abandon(), { once: true });
  return { status: 200, headers: STREAM_HEADERS, body: relay.stream, ended: relay.ended };
}

/** A longer stream is passed on but not recorded. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

function keepEvents() {
  let events: Buffer[] = [];
  let size = 0;
  return {
    add: (piece: Buffer) => {
      size += piece.length;
      if (size > MAX_KEPT_BYTES) events = [];
      else events.push(piece);
    },
    /** Undefined when the stream was too long. */
    whole: () => (size > MAX_KEPT_BYTES ? undefined : Buffer.concat(events).toString("utf8")),
  };
}

function keep(sink: CompletionSink, exchange: Exchange, reply: string, streamed: boolean): void {
  const { call, account, model, request } = exchange;
  const { endpoint, requestId, caller } = call;
  const { startedAt } = account;
  if (endpoint.operation === null) return;
  sink.recordCompletion({
    endpoint,
    requestId,
    caller,
    model,
    request,
    startedAt,
    endedAt: new Date(),
    streamed,
    reply,
  });
}
