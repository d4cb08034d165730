import { isJsonObject, type Json } from "../../model/json.ts";
import { readTextNumber } from "../../model/numbers.ts";
import type { ValueType } from "./statistics-requests.ts";

/** The values at a place of a payload: scalars of a list each, no null. */
export function* valuesAt(value: Json): Generator<Exclude<Json, null>, void, undefined> {
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) if (!isJsonObject(item)) yield* valuesAt(item);
  } else if (value !== null) yield value;
}

/** The finite number that a value counts as among those of a type: 1 and 0 of booleans; null: it does not count. */
export function numberAs(type: ValueType, value: Json): number | null {
  if (type === "boolean") {
    if (value === true || value === "true") return 1;
    return value === false || value === "false" ? 0 : null;
  }
  if (type === "categorical") return null;
  if (typeof value === "string") return readTextNumber(value);
  const number = typeof value === "number" || typeof value === "bigint" ? Number(value) : NaN;
  return Number.isFinite(number) ? number : null;
}
