import { isJsonObject, type Json } from "./json.ts";

/** Tokens of a chat. Those of the input are with cached ones; what is null is not known. */
export interface TokenSums {
  readonly input: number | null;
  readonly output: number | null;
  readonly cached: number | null;
}

/** Where the SDKs have each count; the first that is a number counts. */
const INPUT = ["prompt_tokens", "input_tokens", "inputTokens", "promptTokens"];
const OUTPUT = ["completion_tokens", "output_tokens", "outputTokens", "completionTokens"];
const CACHED = [
  "prompt_tokens_details.cached_tokens",
  "input_tokens_details.cached_tokens",
  "cachedInputTokens",
  "inputTokenDetails.cacheReadTokens",
  "cache_read_input_tokens",
];
/** Counts that stand beside the input. */
const BESIDE = ["cache_read_input_tokens", "cache_creation_input_tokens"];

/** The counts of a chat as an SDK gives them; null where there is neither input nor output. */
export function tokenCounts(usage: Json | undefined): TokenSums | null {
  const first = (names: readonly string[]) =>
    names.map((name) => countAt(usage, name)).find((count) => count !== null) ?? null;
  const [input, output, cached] = [first(INPUT), first(OUTPUT), first(CACHED)];
  if (input === null && output === null) return null;
  const beside = BESIDE.reduce((sum, name) => sum + (countAt(usage, name) ?? 0), 0);
  return { input: input === null && beside === 0 ? null : (input ?? 0) + beside, output, cached };
}

function countAt(usage: Json | undefined, path: string): number | null {
  const value = path
    .split(".")
    .reduce<Json | undefined>((of, name) => (isJsonObject(of) ? of[name] : undefined), usage);
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** The sums of these; what none of them tells is null. */
export function sumTokens(counts: readonly TokenSums[]): TokenSums {
  const sum = (name: keyof TokenSums) => {
    const told = counts.map((one) => one[name]).filter((count) => count !== null);
    return told.length === 0 ? null : told.reduce((total, count) => total + count, 0);
  };
  return { input: sum("input"), output: sum("output"), cached: sum("cached") };
}

/** Counts as `summary.usage` has them of a model. */
export function modelCounts({ input, output, cached }: TokenSums) {
  return {
    ...(input === null ? {} : { input_tokens: input }),
    ...(output === null ? {} : { output_tokens: output }),
    ...(cached === null ? {} : { input_tokens_details: { cached_tokens: cached } }),
    total_tokens: (input ?? 0) + (output ?? 0),
  };
}
