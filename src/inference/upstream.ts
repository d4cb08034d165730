import { Agent, type Dispatcher } from "undici";
import { EvalcubeError } from "../errors.ts";
import { upstreamBroken, upstreamTimeout, upstreamUnreachable, clientGone, ApiError } from "./api-error.ts";
import type { Timeouts, UpstreamConfig } from "./config.ts";

/** One model server: where it is, what it serves, and the connections to it. */
export interface Upstream {
  readonly config: UpstreamConfig;
  readonly apiKey: string | undefined;
  readonly agent: Dispatcher;
}

/** A request to a model server. */
export interface UpstreamCall {
  readonly method: "GET" | "POST";
  /** Below the base address, such as `/models`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly headersTimeoutMs: number;
  /** Aborted with an `ApiError` as the reason; ends the reply's body too. */
  readonly stop: AbortController;
}

/** Opens the connections lazily; `environment` holds the keys that `api_key_env` names. */
export function openUpstream(
  config: UpstreamConfig,
  timeouts: Timeouts,
  environment: Readonly<Record<string, string | undefined>>,
): Upstream {
  const apiKey = config.api_key_env === undefined ? undefined : environment[config.api_key_env];
  if (config.api_key_env !== undefined && (apiKey === undefined || apiKey === "")) {
    const reason = `The environment variable ${config.api_key_env} of an upstream is not set.`;
    throw new EvalcubeError("missing_variable", reason);
  }
  const agent = new Agent({ connect: { timeout: timeouts.connect_ms }, bodyTimeout: 0, pipelining: 1 });
  return { config, apiKey, agent };
}

/** Sends once, never again: a request that may have arrived must not run twice. */
export async function callUpstream(upstream: Upstream, call: UpstreamCall): Promise<Dispatcher.ResponseData> {
  const base = new URL(upstream.config.base_url);
  const { stop } = call;
  // undici's own timeouts come up to half a second late.
  const timer = startTimer(call.headersTimeoutMs, () => stop.abort(upstreamTimeout()));
  try {
    return await upstream.agent.request({
      origin: base.origin,
      path: base.pathname.replace(/\/+$/, "") + call.path,
      method: call.method,
      headers: call.headers,
      body: call.body ?? null,
      headersTimeout: 0,
      bodyTimeout: 0,
      signal: stop.signal,
    });
  } catch (cause) {
    throw transportError(cause, stop.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** A controller that aborts when the client goes away, and may be aborted for other reasons. */
export function stopWith(client: AbortSignal): AbortController {
  const stop = new AbortController();
  const abort = () => stop.abort(clientGone(client.reason));
  if (client.aborted) abort();
  else client.addEventListener("abort", abort, { once: true });
  return stop;
}

function startTimer(ms: number, alarm: () => void): NodeJS.Timeout | undefined {
  return ms === 0 ? undefined : setTimeout(alarm, Math.min(ms, 2 ** 31 - 1));
}

const NOT_SENT = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
]);

/** What a failure of the connection means for the caller. */
function transportError(cause: unknown, signal: AbortSignal): ApiError {
  if (signal.aborted && signal.reason instanceof ApiError) return signal.reason;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const notSent = NOT_SENT.has(code) || code.startsWith("ERR_TLS") || code.startsWith("CERT_");
  return notSent ? upstreamUnreachable(cause) : upstreamBroken(cause);
}
