import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { amount, attribute, someText, inside, wholeNumber } from "./call-attributes.ts";

/** Tokens of a model call; input tokens are with cached ones. */
export interface StepTokens {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedTokens: number | null;
}

/** Names of attributes that tell tokens. */
interface TokenNames {
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly cached: readonly string[];
}

const ATTRIBUTES: readonly TokenNames[] = [
  {
    input: ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"],
    output: ["gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"],
    cached: ["gen_ai.usage.cache_read.input_tokens"],
  },
  {
    input: ["llm.token_count.prompt"],
    output: ["llm.token_count.completion"],
    cached: ["llm.token_count.prompt_details.cache_read"],
  },
];

const MEMBERS: TokenNames = {
  input: ["prompt_tokens", "input_tokens", "inputTokens"],
  output: ["completion_tokens", "output_tokens", "outputTokens"],
  cached: [
    "prompt_tokens_details.cached_tokens",
    "input_tokens_details.cached_tokens",
    "cachedInputTokens",
    "cache_read_input_tokens",
  ],
};

/** Members of a usage that stand beside its input tokens. */
const BESIDE_INPUT = ["cache_read_input_tokens", "cache_creation_input_tokens"];

/** The tokens of a call, of the first place that tells input or output; null where none does. */
export function tokensOf(members: JsonObject, attributes: JsonObject): StepTokens | null {
  for (const names of ATTRIBUTES) {
    const told = tokensNamed(attributes, names);
    if (isTold(told)) return told;
  }
  for (const path of [
    ["summary", "usage"],
    ["output", "usage"],
  ]) {
    const usage = inside(members, path);
    const told = isJsonObject(usage) ? usageTokens(usage, path[0] === "summary") : null;
    if (told !== null) return told;
  }
  return null;
}

function isTold({ inputTokens, outputTokens }: StepTokens): boolean {
  return inputTokens !== null || outputTokens !== null;
}

function tokensNamed(from: JsonObject, { input, output, cached }: TokenNames): StepTokens {
  return {
    inputTokens: attribute(from, input, wholeNumber),
    outputTokens: attribute(from, output, wholeNumber),
    cachedTokens: attribute(from, cached, wholeNumber),
  };
}

function usageTokens(usage: JsonObject, mayBeByModel: boolean): StepTokens | null {
  const own = modelTokens(usage);
  if (isTold(own)) return own;
  if (!mayBeByModel) return null;
  const told = Object.values(usage).flatMap((one) => (isJsonObject(one) ? [modelTokens(one)] : []));
  const all = { inputTokens: sumOf(told, "inputTokens"), outputTokens: sumOf(told, "outputTokens") };
  const tokens = { ...all, cachedTokens: sumOf(told, "cachedTokens") };
  return isTold(tokens) ? tokens : null;
}

function modelTokens(usage: JsonObject): StepTokens {
  const told = tokensNamed(usage, MEMBERS);
  if (told.inputTokens === null) return told;
  const beside = BESIDE_INPUT.map((name) => wholeNumber(usage[name]) ?? 0);
  return { ...told, inputTokens: wholeNumber(beside.reduce((sum, one) => sum + one, told.inputTokens)) };
}

function sumOf(told: readonly StepTokens[], name: keyof StepTokens): number | null {
  const known = told.flatMap((one) => one[name] ?? []);
  return known.length === 0 ? null : wholeNumber(known.reduce((sum, one) => sum + one, 0));
}

/** The only name in a usage by model; null where there are several, or none. */
export function onlyModel(members: JsonObject): string | null {
  const usage = inside(members, ["summary", "usage"]);
  const [only, ...others] = isJsonObject(usage) ? Object.entries(usage) : [];
  return only !== undefined && others.length === 0 && isJsonObject(only[1]) ? someText(only[0]) : null;
}

const COSTS = [
  "prompt_tokens_total_cost",
  "completion_tokens_total_cost",
  "cache_read_input_tokens_total_cost",
  "cache_creation_input_tokens_total_cost",
];

/** What the call says that it costs: the sum over its models, null where one of them does not say. */
export function statedCost(members: JsonObject, attributes: JsonObject): number | null {
  const own = attribute(attributes, ["gen_ai.usage.cost"], amount);
  if (own !== null) return own;
  const places = [["usage"], ["weave", "costs"], ["costs"]].map((path) => {
    const found = inside(members["summary"], path);
    return isJsonObject(found) ? found : {};
  });
  const models = new Set(places.flatMap((one) => Object.keys(one)));
  const costs = [...models].map((model) => modelCost(places.map((one) => inside(one, [model]))));
  return costs.length === 0 ? null : sumOfAll(costs);
}

function modelCost([usage, ...stated]: readonly (Json | undefined)[]): number | null {
  for (const one of stated) {
    const parts = COSTS.map((name) => amount(inside(one, [name])));
    if (parts.some((part) => part !== null))
      return amount(parts.reduce<number>((sum, part) => sum + (part ?? 0), 0));
  }
  return amount(inside(usage, ["cost"])) ?? amount(inside(usage, ["total_cost"]));
}

function sumOfAll(costs: readonly (number | null)[]): number | null {
  let sum = 0;
  for (const cost of costs) {
    if (cost === null) return null;
    sum += cost;
  }
  return amount(sum);
}
