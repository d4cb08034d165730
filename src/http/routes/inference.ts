import { EvalcubeError } from "../../errors.ts";
import type { CompletionReply } from "../../inference/reply/completion.ts";
import { ENDPOINTS, type Endpoint } from "../../inference/reply/endpoints.ts";
import {
  chatReplySchema,
  chatRequestSchema,
  completionReplySchema,
  completionRequestSchema,
  embeddingsReplySchema,
  embeddingsRequestSchema,
  modelListSchema,
  responseReplySchema,
  responseRequestSchema,
} from "../../inference/request/schemas.ts";
import { bytesAnswer, jsonAnswer, type Answer } from "../wire/answer.ts";
import { joinBytes } from "../../model/long-texts.ts";
import { readBody } from "../wire/body.ts";
import { projectOf } from "../keys/credentials.ts";
import { PROJECT_HEADER } from "../openapi/operation.ts";
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

type Described = Pick<ProtectedRoute, "id" | "summary" | "body" | "reply" | "example">;

/** The two routes of an endpoint: some clients send a trailing slash, and a redirect would turn POST into GET. */
function passedOn(endpoint: Endpoint, described: Described): readonly ProtectedRoute[] {
  const route: ProtectedRoute = {
    ...described,
    method: "POST",
    path: `/v1${endpoint.path}`,
    access: "bearer",
    parameters: [PROJECT_HEADER],
    ...(endpoint.streams ? { streams: true } : {}),
    async run({ inference, limits }, { raw, trace }, principal) {
      trace.project = projectOf(raw.headers, inference.config.project_header, principal);
      const body = await joinBytes(await readBody(raw, limits.chat));
      trace.bytesIn = body.length;
      const reply = await inference.complete({
        endpoint,
        requestId: trace.requestId,
        body,
        headers: raw.headers,
        caller: { keyId: principal.keyId, user: principal.user, project: trace.project },
        signal: raw.signal,
      });
      return answer(reply, trace);
    },
  };
  return [route, { ...route, path: `${route.path}/`, id: `${route.id}WithSlash` }];
}

const chat: Described = {
  id: "createChatCompletion",
  summary: "Create a chat completion; with `stream`, as server-sent events",
  body: chatRequestSchema,
  reply: chatReplySchema,
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
};

const completions: Described = {
  id: "createCompletion",
  summary: "Complete a prompt; with `stream`, as server-sent events",
  body: completionRequestSchema,
  reply: completionReplySchema,
  example: {
    request: { model: "m", prompt: "Hi" },
    reply: {
      id: "cmpl-1",
      object: "text_completion",
      created: 1769860800,
      model: "m",
      choices: [{ index: 0, text: " there", finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    },
  },
};

const embeddings: Described = {
  id: "createEmbedding",
  summary: "Embed texts",
  body: embeddingsRequestSchema,
  reply: embeddingsReplySchema,
  example: {
    request: { model: "m", input: "Hi" },
    reply: {
      object: "list",
      data: [{ object: "embedding", index: 0, embedding: [0.5, -0.25] }],
      model: "m",
      usage: { prompt_tokens: 1, total_tokens: 1 },
    },
  },
};

const responses: Described = {
  id: "createResponse",
  summary: "Create a response; with `stream`, as server-sent events",
  body: responseRequestSchema,
  reply: responseReplySchema,
  example: {
    request: { model: "m", input: "Hi" },
    reply: {
      id: "resp_1",
      object: "response",
      created_at: 1769860800,
      model: "m",
      status: "completed",
      output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello" }] }],
      usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
    },
  },
};

export const inferenceRoutes: readonly ProtectedRoute[] = [
  listModels,
  ...passedOn(ENDPOINTS.chat, chat),
  ...passedOn(ENDPOINTS.completions, completions),
  ...passedOn(ENDPOINTS.embeddings, embeddings),
  ...passedOn(ENDPOINTS.responses, responses),
];

function answer(reply: CompletionReply, trace: Trace): Answer {
  const { status, headers, body, ended } = reply;
  if (typeof body === "string") return jsonAnswer(body, headers, status);
  if (body instanceof Uint8Array) return bytesAnswer(body, headers, status);
  trace.deferred = true;
  void ended?.then(({ outcome, bytes }) => trace.end(status, bytes, outcome));
  return { status, headers, body };
}
