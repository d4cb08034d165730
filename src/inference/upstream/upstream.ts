import { withoutTrailing } from "../../model/plain-line.ts";
import { setTimeout as pause } from "node:timers/promises";
import type { Dispatcher } from "undici";
import { upstreamBroken, upstreamTimeout, upstreamUnreachable, ApiError } from "../errors/api-error.ts";
import { type Environment, readVariable, type Timeouts, type UpstreamConfig } from "../settings/config.ts";

/** One model server: its configuration, its key and its connections. */
export interface Upstream {
  /** Its location in the inference file, which may be logged, unlike its address. */
  readonly place: string;
  readonly config: UpstreamConfig;
  readonly apiKey: string | undefined;
  readonly agent: Promise<Dispatcher>;
}

/** A request to a model server. */
interface UpstreamCall {
  readonly method: "GET" | "POST";
  /** Path below the base URL, such as `/models`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly headersTimeoutMs: number;
  /** Aborted with an `ApiError` as the reason; this also ends the reply's body. */
  readonly stop: AbortController;
}

/** Opens connections lazily; `environment` holds the keys that `api_key_env` names. */
export function openUpstream(
  place: string,
  config: UpstreamConfig,
  timeouts: Timeouts,
  environment: Environment,
): Upstream {
  const apiKey = readVariable(environment, config.api_key_env, "of an upstream");
  return { place, config, apiKey, agent: openAgent(timeouts) };
}

/** Imports the HTTP client here, so that it is not loaded without model servers. */
async function openAgent(timeouts: Timeouts): Promise<Dispatcher> {
  // Whichever of Node's own copy and this one loads first serves every `fetch` of the process, and this one refuses
  // requests that Node's makes. Reading a global of Node's copy loads it.
  void globalThis.Response;
  const { Agent } = await import("undici");
  return new Agent({ connect: { timeout: timeouts.connect_ms }, bodyTimeout: 0, pipelining: 1 });
}

/**
 * Sends the request once. It is sent a second time only when no connection could be made, so that no part of it can
 * have arrived. A connection that takes too long is not retried.
 */
export async function callUpstream(upstream: Upstream, call: UpstreamCall): Promise<Dispatcher.ResponseData> {
  try {
    return await send(upstream, call);
  } catch (cause) {
    if (call.stop.signal.aborted || !REFUSED.has(codeOf(cause)))
      throw transportError(cause, call.stop.signal);
  }
  try {
    await pause(RECONNECT_MS, undefined, { signal: call.stop.signal });
    return await send(upstream, call);
  } catch (cause) {
    throw transportError(cause, call.stop.signal);
  }
}

async function send(upstream: Upstream, call: UpstreamCall): Promise<Dispatcher.ResponseData> {
  const base = new URL(upstream.config.base_url);
  const agent = await upstream.agent;
  const { stop } = call;
  // undici's own timeouts fire up to half a second late.
  const timer = startTimer(call.headersTimeoutMs, () => stop.abort(upstreamTimeout()));
  try {
    return await agent.request({
      origin: base.origin,
      path: withoutTrailing(base.pathname, "/") + call.path,
      method: call.method,
      headers: call.headers,
      body: call.body ?? null,
      headersTimeout: 0,
      bodyTimeout: 0,
      signal: stop.signal,
    });
  } finally {
    clearTimeout(timer);
  }
}

function startTimer(ms: number, alarm: () => void): NodeJS.Timeout | undefined {
  return ms === 0 ? undefined : setTimeout(alarm, Math.min(ms, 2 ** 31 - 1));
}

/** Wait before the second attempt, since a restarting server may accept connections a moment later. */
const RECONNECT_MS = 100;

/** Error codes that report immediately that no connection could be made. */
const REFUSED = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
]);

function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}

/** Converts a failure of the connection to an error for the caller. */
function transportError(cause: unknown, signal: AbortSignal): ApiError {
  if (signal.aborted && signal.reason instanceof ApiError) return signal.reason;
  const code = codeOf(cause);
  const notSent = REFUSED.has(code) || code === "UND_ERR_CONNECT_TIMEOUT" || /^(ERR_TLS|CERT_)/.test(code);
  return notSent ? upstreamUnreachable(cause) : upstreamBroken(cause);
}
