import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import { readTextNumber } from "../../../model/numbers.ts";
import { noNumberName, replaceNoNumbers } from "../../read/no-numbers.ts";
import { listScores } from "../../translate/score-value.ts";
import { checkMembers, objectAt } from "../../read/members.ts";

interface Scores {
  readonly scores: { readonly [key: string]: Json };
  readonly details: { readonly [key: string]: Json };
}

const LETTERS: ReadonlyMap<string, number> = new Map([
  ["C", 1],
  ["P", 0.5],
  ["I", 0],
  ["N", 0],
]);
const WORDS: ReadonlyMap<string, number> = new Map([
  ["yes", 1],
  ["true", 1],
  ["no", 0],
  ["false", 0],
]);

/** The scores of a sample, by the names of the log. */
export function sampleScores(sample: JsonObject, onlyScorer: string | null): Scores {
  const scores: { [key: string]: Json } = {};
  const details: { [key: string]: Json } = {};
  const named = namedScores(sample, onlyScorer);
  checkMembers(named, { object: Object.keys(named) }, "scores");
  for (const [name, score] of Object.entries(named)) {
    if (!isJsonObject(score)) continue;
    const value = scoreOf(score["value"] ?? null);
    if (value !== undefined) scores[name] = value;
    details[name] = detailsOf(score);
  }
  return { scores, details };
}

/** Logs of version 1 have one score, without a name. */
function namedScores(sample: JsonObject, onlyScorer: string | null): JsonObject {
  const single = sample["score"];
  if (!isJsonObject(sample["scores"]) && isJsonObject(single)) return { [onlyScorer ?? "score"]: single };
  return objectAt(sample, "scores");
}

/** The value as Inspect counts it; undefined for a list that is no score. */
function scoreOf(value: Json): Json | undefined {
  if (noNumberName(value) !== null) return null;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "string")
    return LETTERS.get(value) ?? WORDS.get(value.toLowerCase()) ?? readTextNumber(value) ?? value;
  if (Array.isArray(value)) return listScores(value as readonly Json[]) ?? undefined;
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const score = scoreOf(member);
    return score === undefined ? [] : [[name, score] as const];
  });
  return Object.fromEntries(members);
}

function detailsOf(score: JsonObject): JsonObject {
  const { value = null, answer, explanation, metadata, history } = score;
  return {
    value: replaceNoNumbers(value, (name) => name),
    ...(answer === undefined ? {} : { answer }),
    ...(explanation === undefined ? {} : { explanation }),
    ...(metadata === undefined ? {} : { metadata: replaceNoNumbers(metadata, (name) => name) }),
    ...(Array.isArray(history) && history.length > 0 ? { history: history.length } : {}),
  };
}
