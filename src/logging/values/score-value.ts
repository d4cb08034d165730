import { isJsonObject, type Json } from "../../model/json.ts";
import { invalidValue, plainJson, type PlainJson } from "./plain-json.ts";

/** Copies a score. Throws `invalid_value` on what is no number, truth, text, null or object of these. */
export function scoreValue(scorer: string, value: unknown): PlainJson {
  if (value instanceof Date)
    throw invalidValue(["scores", scorer], "a Date is no score; log it as a text or a number");
  const plain = plainJson(value, ["scores", scorer]);
  refuseLists(plain.value, ["scores", scorer]);
  return plain;
}

function refuseLists(value: Json, path: readonly string[]): void {
  if (Array.isArray(value)) throw invalidValue(path, "a list is no score; name its items in an object");
  if (!isJsonObject(value)) return;
  for (const [name, member] of Object.entries(value)) refuseLists(member, [...path, name]);
}

/** Throws `invalid_value` on a name that no score can have. */
/** Why a name is refused. */
export const NO_SCORER_NAME =
  "must have names that are not empty, without U+0000 and halves of surrogate pairs";

export function checkScorer(scorer: unknown): asserts scorer is string {
  if (typeof scorer !== "string" || scorer === "")
    throw invalidValue(["scorer"], "must be a text that is not empty");
  if (!isScorerName(scorer))
    throw invalidValue(["scorer"], "must not contain U+0000 or half of a surrogate pair");
}

export function isScorerName(name: string): boolean {
  return name !== "" && !/[\0\p{Cs}]/u.test(name);
}
