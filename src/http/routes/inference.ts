import { EvalcubeError } from "../../errors.ts";
import type { CompletionReply } from "../../inference/reply/completion.ts";
import { chatReplySchema, chatRequestSchema, modelListSchema } from "../../inference/request/schemas.ts";
import { bytesAnswer, jsonAnswer, type Answer } from "../wire/answer.ts";
import { readBody } from "../wire/body.ts";
import { projectOf } from "../keys/credentials.ts";
import { PROJECT_HEADER } from "../openapi/parameters.ts";
import type { ProtectedRoute } from "./route.ts";
import type { Trace } from "../log/trace.ts";

const listModels: ProtectedRoute = {
  method: "GET",
  path: "/v1/models",
  access: "bearer",
  id: "listModels",
  summary: "Models that can be used",
  reply: modelListSchema,
  parameters: [PROJECT_HEADER],
  example: {
    reply: {
      object: "list",
      data: [{ id: "m", object: "model", created: 0, owned_by: "acme", root: "m" }],
    },
  },
  async run({ inference }, { raw, trace }, principal) {
    trace.project = projectOf(raw.headers, inference.config.project_header, principal);
    const { models, missing } = await inference.listModels(raw.headers, raw.signal);
    for (const { upstream, error } of missing)
      trace.warn({ upstream: upstream.place, ...codesOf(error) }, "a model server did not list its models");
    return jsonAnswer(JSON.stringify({ object: "list", data: models }));
  },
};

/** The codes of an error without its message, which may name the address of the connection. */
function codesOf(error: unknown): Record<string, unknown> {
  if (!(error instanceof EvalcubeError)) return {};
  const { code, cause } = error;
  return cause instanceof Error && "code" in cause ? { code, cause: cause.code } : { code };
}

const complete: ProtectedRoute = {
  method: "POST",
  path: "/v1/chat/completions",
  access: "bearer",
  id: "createChatCompletion",
  summary: "Create a chat completion; with `stream`, as server-sent events",
  body: chatRequestSchema,
  reply: chatReplySchema,
  parameters: [PROJECT_HEADER],
  streams: true,
  example: {
    request: { model: "m", messages: [{ role: "user", content: "Hi" }] },
    reply: {
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1769860800,
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    },
  },
  async run({ inference, limits }, { raw, trace }, principal) {
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
  },
};

export const inferenceRoutes: readonly ProtectedRoute[] = [
  listModels,
  complete,
  // Some clients send a trailing slash, and a redirect would turn POST into GET.
  { ...complete, path: `${complete.path}/`, id: "createChatCompletionWithSlash" },
];

function answer(reply: CompletionReply, trace: Trace): Answer {
  const { status, headers, body, ended } = reply;
  if (typeof body === "string") return jsonAnswer(body, headers, status);
  if (body instanceof Uint8Array) return bytesAnswer(body, headers, status);
  trace.deferred = true;
  void ended?.then(({ outcome, bytes }) => trace.end(status, bytes, outcome));
  return { status, headers, body };
}
