import { isJsonObject, writeJson, type Json } from "../../model/json.ts";
import { readTextNumber } from "../../model/numbers.ts";
import { parseTimestamp } from "../../model/timestamp.ts";

/** The value at a path inside another; null where there is none. A whole-number segment indexes a list. */
export function valueAt(value: Json, segments: readonly string[]): Json {
  let at = value;
  for (const segment of segments) {
    if (Array.isArray(at))
      at = /^(0|[1-9]\d*)$/.test(segment) ? ((at as readonly Json[])[Number(segment)] ?? null) : null;
    else at = isJsonObject(at) && Object.hasOwn(at, segment) ? (at[segment] ?? null) : null;
  }
  return at;
}

/** The value as a number, where it is one, a boolean, or a text that spells one. */
export function numberOf(value: Json): number | null {
  if (typeof value === "string") return readTextNumber(value);
  if (typeof value === "boolean" || typeof value === "bigint" || typeof value === "number") {
    const number = Number(value);
    return Number.isFinite(number) ? number : null;
  }
  return null;
}

/** The value as a text; objects and lists as compact JSON. */
export function textOf(value: Json): string | null {
  if (value === null || typeof value === "string") return value;
  return typeof value === "object" ? writeJson(value) : String(value);
}

/** The value as true or false, where it is one of them, 1, 0, or their text. */
export function booleanOf(value: Json): boolean | null {
  if (value === true || value === 1 || value === "true") return true;
  return value === false || value === 0 || value === "false" ? false : null;
}

/** Microseconds since 1970 of a time: seconds, or an ISO 8601 text, in UTC where it has no offset. */
export function momentOf(value: Json): number | null {
  if (typeof value === "number") return value * 1e6;
  if (typeof value !== "string") return null;
  const spellings = [value, `${value}Z`, `${value}T00:00:00Z`];
  const time = spellings.map(parseTimestamp).find((one) => one !== null);
  return time === undefined ? null : Number(time);
}
