import type { Json } from "../../model/json.ts";
import { noNumberName } from "../read/no-numbers.ts";

/** A list of numbers or booleans only as an object with its places as names; null for any other list. */
export function listScores(values: readonly Json[]): { readonly [place: string]: Json } | null {
  const isPlain = values.every((value) => typeof value === "number" || typeof value === "boolean");
  if (values.length === 0 || !isPlain) return null;
  return Object.fromEntries(
    values.map((value, i) => [String(i), noNumberName(value) === null ? value : null]),
  );
}

/**
 * Values by name as scores, and as details what is no score. `scoreOf` gives the score of a value; undefined where it
 * is none. A null is a score without a value, and so are NaN and infinities, whose names are details.
 */
export function splitScores(
  values: Iterable<readonly [string, Json]>,
  scoreOf: (value: Json, name: string) => Json | undefined,
) {
  const scores: { [name: string]: Json } = {};
  const details: { [name: string]: Json } = {};
  for (const [name, value] of values) {
    const noNumber = noNumberName(value);
    const score = value === null || noNumber !== null ? null : scoreOf(value, name);
    if (score !== undefined) scores[name] = score;
    if (score === undefined || noNumber !== null) details[name] = noNumber ?? value;
  }
  return { scores, details };
}
