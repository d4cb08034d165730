import type { Hono } from "hono";
import type { CompletionReply } from "../inference/completion.ts";
import { readBody } from "./body.ts";
import { projectOf } from "./credentials.ts";
import { bytesAnswer, guarded, jsonAnswer, type Endpoint, type Service, type ServiceEnv } from "./service.ts";
import type { Trace } from "./trace.ts";

/** `/v1/models` and `/v1/chat/completions`. */
export function mountInference(app: Hono<ServiceEnv>, service: Service): void {
  app.all("/v1/models", guarded(service, "bearer", "/v1/models", "GET", listModels(service)));
  const chat = guarded(service, "bearer", "/v1/chat/completions", "POST", complete(service));
  app.all("/v1/chat/completions", chat);
  // Clients differ in the slash; a redirect would turn POST into GET.
  app.all("/v1/chat/completions/", chat);
}

function listModels({ inference }: Service): Endpoint {
  return async (context, principal) => {
    const { raw } = context.req;
    context.env.trace.project = projectOf(raw.headers, inference.config.project_header, principal);
    const data = await inference.listModels(raw.headers, raw.signal);
    return jsonAnswer(JSON.stringify({ object: "list", data }));
  };
}

function complete({ inference, limits }: Service): Endpoint {
  return async (context, principal) => {
    const { raw } = context.req;
    const { trace } = context.env;
    trace.project = projectOf(raw.headers, inference.config.project_header, principal);
    const body = await readBody(raw, limits.chat);
    trace.bytesIn = body.length;
    const reply = await inference.complete({
      requestId: trace.requestId,
      body,
      headers: raw.headers,
      caller: { keyId: principal.keyId, user: principal.user, project: trace.project },
      signal: raw.signal,
    });
    return answer(reply, trace);
  };
}

function answer(reply: CompletionReply, trace: Trace): Response {
  const { status, headers, body, ended } = reply;
  if (typeof body === "string") return jsonAnswer(body, headers, status);
  if (body instanceof Uint8Array) return bytesAnswer(body, headers, status);
  trace.deferred = true;
  void ended?.then(({ outcome, bytes }) => trace.end(status, bytes, outcome));
  return new Response(body, { status, headers });
}
