import type { JsonObject } from "../../model/json.ts";

/** What tools call the tokens of a prompt and of its answer. */
const PARTS = ["input_tokens", "output_tokens", "prompt_tokens", "completion_tokens", "prompt", "completion"];
const HELM_PARTS = ["num_prompt_tokens", "num_output_tokens"];

/** Usage of a model with `total_tokens`, which is computed where the log does not state it. */
export function withTotal(usage: JsonObject): JsonObject {
  if (typeof usage["total_tokens"] === "number") return usage;
  const counts = [...PARTS, ...HELM_PARTS]
    .map((name) => usage[name])
    .filter((count): count is number => typeof count === "number");
  if (counts.length === 0) return usage;
  return { ...usage, total_tokens: counts.reduce((sum, count) => sum + count, 0) };
}
