import { EvalcubeError } from "../../errors.ts";
import type { CompletionReply } from "../../inference/reply/completion.ts";
import { bytesAnswer, jsonAnswer, type Answer } from "../wire/answer.ts";
import { readBody } from "../wire/body.ts";
import { projectOf } from "../keys/credentials.ts";
import type { Endpoint, Route } from "./route.ts";
import type { Service } from "./service.ts";
import type { Trace } from "../log/trace.ts";

/** `/v1/models` and `/v1/chat/completions`. */
export function inferenceRoutes(service: Service): Route[] {
  const bearer = { access: "bearer" } as const;
  const chat = { ...bearer, method: "POST", endpoint: complete(service) } as const;
  return [
    { ...bearer, path: "/v1/models", method: "GET", endpoint: listModels(service) },
    { ...chat, path: "/v1/chat/completions" },
    // Clients differ in the slash; a redirect would turn POST into GET.
    { ...chat, path: "/v1/chat/completions/" },
  ];
}

function listModels({ inference }: Service): Endpoint {
  return async ({ raw, trace }, principal) => {
    trace.project = projectOf(raw.headers, inference.config.project_header, principal);
    const { models, missing } = await inference.listModels(raw.headers, raw.signal);
    for (const { upstream, error } of missing)
      trace.warn({ upstream: upstream.place, ...codesOf(error) }, "a model server did not list its models");
    return jsonAnswer(JSON.stringify({ object: "list", data: models }));
  };
}

/** What failed, without the address that the message of the connection may name. */
function codesOf(error: unknown): Record<string, unknown> {
  if (!(error instanceof EvalcubeError)) return {};
  const { code, cause } = error;
  return cause instanceof Error && "code" in cause ? { code, cause: cause.code } : { code };
}

function complete({ inference, limits }: Service): Endpoint {
  return async ({ raw, trace }, principal) => {
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

function answer(reply: CompletionReply, trace: Trace): Answer {
  const { status, headers, body, ended } = reply;
  if (typeof body === "string") return jsonAnswer(body, headers, status);
  if (body instanceof Uint8Array) return bytesAnswer(body, headers, status);
  trace.deferred = true;
  void ended?.then(({ outcome, bytes }) => trace.end(status, bytes, outcome));
  return { status, headers, body };
}
