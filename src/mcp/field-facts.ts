import type { Json } from "../model/json.ts";
import { plain } from "./naming.ts";

type Value = Exclude<Json, null>;
type Scalar = boolean | number | bigint | string;

const MOST_VALUES = 12;

/** What is known of a field. */
export interface Facts {
  count: number;
  readonly kinds: Set<string>;
  /** How often each value occurs; null where there are too many. */
  values: Map<Scalar, number> | null;
  least: number | bigint | null;
  greatest: number | bigint | null;
}

export function noFacts(): Facts {
  return { count: 0, kinds: new Set(), values: new Map(), least: null, greatest: null };
}

/** Counts one value that a field has. */
export function addValue(facts: Facts, value: Value): void {
  facts.count++;
  facts.kinds.add(kindOf(value));
  if (typeof value === "object") return;
  if (typeof value === "number" || typeof value === "bigint") {
    if (facts.least === null || value < facts.least) facts.least = value;
    if (facts.greatest === null || value > facts.greatest) facts.greatest = value;
  }
  facts.values?.set(value, (facts.values.get(value) ?? 0) + 1);
  if ((facts.values?.size ?? 0) > MOST_VALUES) facts.values = null;
}

function kindOf(value: Value): string {
  if (typeof value === "object") return Array.isArray(value) ? "list" : "object";
  if (typeof value === "boolean") return "boolean";
  return typeof value === "string" ? "text" : "number";
}

/** The fields in the order of their names. `noun` is what they are counted in. */
export function toldFields(fields: ReadonlyMap<string, Facts>, noun: "trials" | "rows"): unknown[] {
  const inOrder = [...fields].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return inOrder.map(([field, { count, kinds, values, least, greatest }]) => {
    const [kind = "mixed", ...others] = kinds;
    const type = others.length === 0 ? kind : "mixed";
    const isListed = values !== null && values.size > 0 && (noun === "rows" || type === "text");
    const bounds = least === null ? {} : { least, greatest };
    return plain({ field, type, [noun]: count, ...(isListed ? { values: mostFrequent(values) } : bounds) });
  });
}

/** The most frequent first, then by value: those of one type together. */
function mostFrequent(values: ReadonlyMap<Scalar, number>): object[] {
  return [...values]
    .map(([value, count]) => ({ value, count, kind: kindOf(value) }))
    .toSorted(
      (a, b) => b.count - a.count || (a.kind === b.kind ? before(a.value, b.value) : before(a.kind, b.kind)),
    )
    .map(({ value, count }) => ({ value, count }));
}

function before(a: Scalar, b: Scalar): number {
  return a < b ? -1 : 1;
}
