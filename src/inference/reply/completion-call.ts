import { v7 as uuidv7 } from "uuid";
import { isJsonObject, parseJson, type Json, type JsonObject } from "../../model/json.ts";
import type { ServedCompletion } from "./completion.ts";
import { readTokenCounts } from "../usage/usage.ts";

/**
 * Converts a served completion to a call record, so that it can be evaluated; null without a project, and where
 * the endpoint is not recorded. The cache salt
 * is left out, since it is a secret between caller and model server.
 */
export function callOfCompletion(completion: ServedCompletion): JsonObject | null {
  const { endpoint, caller, model, request, requestId, startedAt, endedAt, streamed } = completion;
  if (caller.project === null || endpoint.operation === null) return null;
  const { cache_salt: _secret, ...inputs } = parseJson(request.text) as JsonObject;
  const output = streamed ? endpoint.assemble(completion.reply) : parseJson(completion.reply);
  const id = uuidv7();
  return {
    id,
    project_id: caller.project,
    trace_id: id,
    parent_id: null,
    op_name: endpoint.operation,
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
