import { isJsonObject, type Json } from "../../model/json.ts";
import { NAN } from "./json-cut.ts";

/**
 * The name of a value that is no number though a number was meant: `NaN`, `Infinity`, `-Infinity`; null for any other.
 */
export function noNumberName(value: Json | undefined): string | null {
  if (value === NAN) return "NaN";
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : null;
}

/** The value with `instead(name)` in the place of each NaN and infinity. */
export function replaceNoNumbers(value: Json, instead: (name: string) => Json): Json {
  const name = noNumberName(value);
  if (name !== null) return instead(name);
  if (Array.isArray(value)) return value.map((item: Json) => replaceNoNumbers(item, instead));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, one]) => [member, replaceNoNumbers(one, instead)]),
  );
}

export function withoutNoNumbers(value: Json): Json {
  return replaceNoNumbers(value, () => null);
}
