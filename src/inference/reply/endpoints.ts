import { errorEnvelope, type ApiError } from "../errors/api-error.ts";
import {
  checkBounds,
  checkContinuation,
  checkMessages,
  checkStream,
  checkStreamOptions,
  required,
  type RequestShape,
} from "../request/model-request.ts";
import type { JsonObject } from "../../model/json.ts";
import { assembleChat, assembleResponse, assembleTexts } from "./assemble-stream.ts";
import { followCompletion, followResponse, type CompletionProgress } from "./completion-progress.ts";

/** An endpoint whose requests are passed on to model servers. */
export interface Endpoint extends RequestShape {
  /** Below the base URL of a model server, and below `/v1` here. */
  readonly path: string;
  /** The operation name of a recorded call; null where none is recorded. */
  readonly operation: string | null;
  /** Puts the whole reply together from the events of a stream. */
  readonly assemble: (events: string) => JsonObject;
  /** Reads the progress of a stream that has this many choices. */
  readonly follow: (choices: number) => CompletionProgress;
  /** Whether a stream ends with `data: [DONE]`, which is added where it is missing; else with an event of its own. */
  readonly endsWithDone: boolean;
  /** What ends a stream that broke off. */
  readonly errorFrame: (error: ApiError) => string;
}

const completion = {
  streams: true,
  follow: followCompletion,
  endsWithDone: true,
  errorFrame: ({ message, facts }: ApiError) =>
    `data: ${JSON.stringify(errorEnvelope(message, facts))}\n\ndata: [DONE]\n\n`,
};

/** The endpoints that are passed on: one row says everything in which they differ. */
export const ENDPOINTS: Readonly<Record<"chat" | "completions" | "embeddings" | "responses", Endpoint>> = {
  chat: {
    ...completion,
    path: "/chat/completions",
    operation: "chat.completions.create",
    checks: [
      required("messages"),
      checkMessages,
      checkStream,
      checkStreamOptions,
      checkBounds,
      checkContinuation,
    ],
    choices: timesAsked,
    assemble: assembleChat,
  },
  completions: {
    ...completion,
    path: "/completions",
    operation: "completions.create",
    checks: [required("prompt"), checkStream, checkStreamOptions, checkBounds],
    choices: (body) => timesAsked(body) * promptsOf(body["prompt"]),
    assemble: assembleTexts,
  },
  embeddings: {
    ...completion,
    path: "/embeddings",
    operation: null,
    checks: [required("input")],
    streams: false,
    choices: () => 1,
    assemble: assembleChat,
  },
  responses: {
    path: "/responses",
    operation: "responses.create",
    checks: [checkStream],
    streams: true,
    choices: () => 1,
    follow: followResponse,
    endsWithDone: false,
    errorFrame: ({ message, facts: { code, param } }) =>
      `event: error\ndata: ${JSON.stringify({ type: "error", code, message, param: param ?? null })}\n\n`,
    assemble: assembleResponse,
  },
};

/** Member `n`; 1 by default. */
function timesAsked({ n }: Record<string, unknown>): number {
  return typeof n === "number" && n > 1 ? n : 1;
}

/** A list of texts, or of lists of tokens, holds several prompts; a list of tokens is one. */
function promptsOf(prompt: unknown): number {
  return Array.isArray(prompt) && prompt.length > 0 && typeof prompt[0] !== "number" ? prompt.length : 1;
}
