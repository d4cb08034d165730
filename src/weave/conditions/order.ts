import { z } from "zod";
import type { Json } from "../../model/json.ts";
import { numberOf, textOf } from "./readings.ts";

/** Keys of an order in a request. */
export const MOST_SORT_KEYS = 100;

/** The order of a request. */
export const sortOrder = z
  .array(z.looseObject({ field: z.string(), direction: z.enum(["asc", "desc"]).nullish() }))
  .max(MOST_SORT_KEYS)
  .nullish();

/** One key of an order, and whether it descends. */
export interface SortKey {
  readonly field: string;
  readonly descends: boolean;
}

/** A value to sort by: a number, else a text; null sorts last in both directions, numbers sort before texts. */
export type SortValue = number | string | null;

export function sortKeys(
  sortBy:
    | readonly { readonly field: string; readonly direction?: string | null | undefined }[]
    | null
    | undefined,
): readonly SortKey[] {
  return (sortBy ?? []).map(({ field, direction }) => ({ field, descends: direction === "desc" }));
}

export function sortValue(value: Json): SortValue {
  return numberOf(value) ?? textOf(value);
}

/** Compares by each key in turn; 0 where all are equal. */
export function compareBy(
  keys: readonly SortKey[],
  a: readonly SortValue[],
  b: readonly SortValue[],
): number {
  for (const [i, { descends }] of keys.entries()) {
    const order = compareValues(a[i] ?? null, b[i] ?? null, descends ? -1 : 1);
    if (order !== 0) return order;
  }
  return 0;
}

function compareValues(a: SortValue, b: SortValue, sign: 1 | -1): number {
  const rank = rankOf(a) - rankOf(b);
  if (rank !== 0) return rank;
  if (typeof a === "number" && typeof b === "number") return (a - b) * sign;
  if (typeof a === "string" && typeof b === "string")
    return Buffer.compare(Buffer.from(a), Buffer.from(b)) * sign;
  return 0;
}

function rankOf(value: SortValue): number {
  if (value === null) return 2;
  return typeof value === "number" ? 0 : 1;
}
