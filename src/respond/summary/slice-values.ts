import type { SliceValue } from "./slicing.ts";
import { compareText } from "../../model/text-order.ts";

/** The value of a key: a letter for its type, and its text. */
export function valueOfKey(key: string): SliceValue {
  const text = key.slice(1);
  if (key.startsWith("n")) return Number(text);
  return key.startsWith("b") ? text === "true" : text;
}

/** Orders slices by value: numbers, false and true, then texts by code point. */
export function compareValues(a: readonly SliceValue[], b: readonly SliceValue[]): number {
  for (const [i, one] of a.entries()) {
    const order = compareOne(one, b[i] ?? "");
    if (order !== 0) return order;
  }
  return 0;
}

const TYPES = ["number", "boolean", "string"];

function compareOne(a: SliceValue, b: SliceValue): number {
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  return TYPES.indexOf(typeof a) - TYPES.indexOf(typeof b) || Number(a) - Number(b);
}
