import type { Context } from "hono";
import type { z } from "zod";
import type { Inference } from "../inference/passthrough.ts";
import type { UsageSink } from "../inference/usage.ts";
import type { Feedback } from "../feedback/feedback.ts";
import type { Training } from "../training/training.ts";
import { authenticate, type Scheme } from "./credentials.ts";
import { methodNotAllowed } from "./http-error.ts";
import type { KeyRing, Principal } from "./keys.ts";
import type { Trace } from "./trace.ts";

/** What the service asks of the engine. */
export interface ServiceEngine {
  /** JSON text of the response in pieces: the bytes that are answered. */
  streamEvalResults(
    projectId: string,
    request: unknown,
    options?: { readonly signal?: AbortSignal },
  ): AsyncGenerator<string, void, undefined>;
  /** The schema that such requests are checked with, for the description of the service. */
  readonly evalResultsRequestSchema: z.ZodType;
  readonly feedback: Feedback;
  readonly training: Training;
  /** Where completions are counted. */
  readonly usage?: UsageSink;
  /** Stores calls; needed only where served completions are recorded. */
  readonly ingestCalls?: (calls: readonly unknown[]) => Promise<unknown>;
}

/** The longest bodies that are taken, in bytes. */
export interface BodyLimits {
  readonly chat: number;
  readonly training: number;
  readonly other: number;
}

/** Everything that routes work with. */
export interface Service {
  readonly engine: ServiceEngine;
  readonly inference: Inference;
  readonly limits: BodyLimits;
  /** The keys as they were last read. */
  readonly keyRing: () => KeyRing;
}

/** Hono's types for this service: the trace comes in from outside. */
export interface ServiceEnv {
  Bindings: { readonly trace: Trace };
}

export type ServiceContext = Context<ServiceEnv>;

/** A route's own part: it runs with a known caller. */
export type Endpoint = (context: ServiceContext, principal: Principal) => Promise<Response>;

/** Credentials first, then the method, then the endpoint. */
export function guarded(
  service: Service,
  scheme: Scheme,
  route: string,
  method: "GET" | "POST",
  endpoint: Endpoint,
): (context: ServiceContext) => Promise<Response> {
  return async (context) => {
    const { trace } = context.env;
    trace.route = route;
    const principal = authenticate(context.req.raw.headers.get("authorization"), scheme, service.keyRing());
    trace.principal = principal;
    if (context.req.method !== method && !(method === "GET" && context.req.method === "HEAD")) {
      throw methodNotAllowed(method);
    }
    return endpoint(context, principal);
  };
}

/** An answer in JSON, already written. */
export function jsonAnswer(body: string, headers: Record<string, string> = {}, status = 200): Response {
  return bytesAnswer(Buffer.from(body, "utf8"), { "content-type": "application/json", ...headers }, status);
}

/** An answer of known length. */
export function bytesAnswer(
  bytes: Uint8Array,
  headers: Readonly<Record<string, string>>,
  status: number,
): Response {
  const body = bytes as Uint8Array<ArrayBuffer>;
  return new Response(body, { status, headers: { ...headers, "content-length": String(bytes.length) } });
}
