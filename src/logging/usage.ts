import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";

/** The names that SDKs give a count. */
const TOTAL = ["total_tokens", "totalTokens"] as const;
const INPUT = ["input_tokens", "prompt_tokens", "inputTokens", "promptTokens"] as const;
const OUTPUT = ["output_tokens", "completion_tokens", "outputTokens", "completionTokens"] as const;
const NAMES = [...TOTAL, ...INPUT, ...OUTPUT];

export type CountName = (typeof NAMES)[number];

/** Whether these are the counts of one model, rather than counts by model. */
export function isOneModel(usage: object): boolean {
  return NAMES.some((name) => Object.hasOwn(usage, name));
}

/**
 * Usage by model as it is stored: with all that was told, and with the members that answers read: `total_tokens`, and
 * counts of input and output in snake case. `model` is the one of counts that are not told by model.
 */
export function storedUsage(usage: Json, model: string): JsonObject {
  if (!isJsonObject(usage)) return {};
  const models = Object.entries(isOneModel(usage) ? { [model]: usage } : usage);
  return Object.fromEntries(
    models.flatMap(([name, counts]) => (isJsonObject(counts) ? [[name, withReadNames(counts)]] : [])),
  );
}

function withReadNames(counts: JsonObject): JsonObject {
  const [input, output] = [firstCount(counts, INPUT), firstCount(counts, OUTPUT)];
  const total =
    firstCount(counts, TOTAL) ??
    (input === null && output === null ? null : Number(input ?? 0) + Number(output ?? 0));
  return {
    ...counts,
    ...named(counts, "prompt_tokens", "input_tokens", input),
    ...named(counts, "completion_tokens", "output_tokens", output),
    ...(total === null ? {} : { total_tokens: total }),
  };
}

/** The count under the second name, unless a number stands under the first. */
function named(counts: JsonObject, other: CountName, name: CountName, count: number | bigint | null) {
  return count === null || isCount(counts[other]) ? {} : { [name]: count };
}

function firstCount(counts: JsonObject, names: readonly CountName[]): number | bigint | null {
  return names.map((name) => counts[name]).find(isCount) ?? null;
}

function isCount(value: Json | undefined): value is number | bigint {
  return (typeof value === "number" || typeof value === "bigint") && value >= 0;
}
