import { v7 as uuidv7 } from "uuid";
import { isJsonObject, parseJson, type Json, type JsonObject } from "../../model/json.ts";
import { assembleStream } from "./assemble-stream.ts";
import type { ServedCompletion } from "./completion.ts";
import { readTokenCounts } from "../usage/usage.ts";

/** The operation name of recorded completions. */
const OPERATION = "chat.completions.create";

/**
 * Converts a served completion to a call record, so that it can be evaluated; null without a project. The cache salt
 * is left out, since it is a secret between caller and model server.
 */
export function callOfCompletion(completion: ServedCompletion): JsonObject | null {
  const { caller, model, request, requestId, startedAt, endedAt, streamed } = completion;
  if (caller.project === null) return null;
  const { cache_salt: _secret, ...inputs } = parseJson(request.text) as JsonObject;
  const output = streamed ? assembleStream(completion.reply) : parseJson(completion.reply);
  const id = uuidv7();
  return {
    id,
    project_id: caller.project,
    trace_id: id,
    parent_id: null,
    op_name: OPERATION,
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
