import { z } from "zod";
import { fieldName } from "../../model/arguments.ts";
import { splitFieldPath } from "../../model/field-path.ts";
import type { Json } from "../../model/json.ts";
import { sortInSlices } from "../../model/turns.ts";
import { SORTED_CHARACTERS } from "./long-field.ts";
import { numberOf, operandText } from "./operands.ts";

/** Keys of an order in a request. */
export const MOST_SORT_KEYS = 100;

/** The order of a request. */
export const sortOrder = z
  .array(z.looseObject({ field: fieldName, direction: z.enum(["asc", "desc"]).nullish() }))
  .max(MOST_SORT_KEYS)
  .nullish();

/** One key of an order, and whether it descends. */
export interface SortKey {
  readonly field: string;
  readonly descends: boolean;
}

/**
 * A value to sort by: a number, else a text, of which the first 1,000 characters count, in UTF-8; null sorts last in
 * both directions, numbers sort before texts.
 */
type SortValue = number | Buffer | null;

export function sortKeys(sortBy: z.output<typeof sortOrder>): readonly SortKey[] {
  return (sortBy ?? []).map(({ field, direction }) => ({ field, descends: direction === "desc" }));
}

/** The values of a thing by the keys of an order; `read`: what it has at a path. */
export function sortValues(
  keys: readonly SortKey[],
  read: (path: readonly string[]) => Json,
): readonly SortValue[] {
  return keys.map(({ field }) => {
    const found = read(splitFieldPath(field));
    const number = numberOf(found);
    if (number !== null) return number;
    const text = operandText(found);
    return text === null ? null : Buffer.from(text.slice(0, SORTED_CHARACTERS));
  });
}

/** Sorts items by their values; those that are equal in all keys stay in their order. */
export async function sortByValues<Item>(
  items: AsyncIterable<readonly [item: Item, values: readonly SortValue[]]>,
  keys: readonly SortKey[],
): Promise<readonly Item[]> {
  const values = new Map<Item, readonly SortValue[]>();
  for await (const [item, own] of items) values.set(item, own);
  return sortInSlices([...values.keys()], (a, b) =>
    compareBy(keys, values.get(a) ?? [], values.get(b) ?? []),
  );
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
  return a instanceof Buffer && b instanceof Buffer ? Buffer.compare(a, b) * sign : 0;
}

function rankOf(value: SortValue): number {
  if (value === null) return 2;
  return typeof value === "number" ? 0 : 1;
}
