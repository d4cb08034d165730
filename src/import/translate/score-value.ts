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
