import { isJsonObject, MAX_JSON_DEPTH, type Json } from "../model/json.ts";
import { readTextNumber } from "../model/numbers.ts";

export const NUMBER = 0;
export const BOOLEAN = 1;
export const TEXT = 2;

/** A boolean, number or text at a place in a trial's scores. */
export interface ScoreLeaf {
  readonly path: string;
  readonly kind: typeof NUMBER | typeof BOOLEAN | typeof TEXT;
  readonly number: number | null;
  readonly text: string | null;
}

/** Receives what stands at each place of a trial's scores; places as JSON arrays of member names. */
export interface ScoreVisitor {
  readonly leaf: (leaf: ScoreLeaf) => void;
  readonly container: (path: string, isList: boolean) => void;
  readonly nothing: (path: string) => void;
}

/** Walks through objects; lists are containers and are not entered. */
export function visitScore(value: Json, path: readonly string[], visitor: ScoreVisitor): void {
  if (path.length > MAX_JSON_DEPTH)
    throw new RangeError(`scores nested more than ${MAX_JSON_DEPTH} levels deep`);
  const place = JSON.stringify(path);
  if (value === null) visitor.nothing(place);
  else if (typeof value === "boolean")
    visitor.leaf({ path: place, kind: BOOLEAN, number: Number(value), text: null });
  else if (typeof value === "number") {
    if (Number.isFinite(value)) visitor.leaf({ path: place, kind: NUMBER, number: value + 0, text: null });
  } else if (typeof value === "bigint") {
    visitor.leaf({ path: place, kind: NUMBER, number: finite(Number(value)), text: value.toString() });
  } else if (typeof value === "string") {
    visitor.leaf({ path: place, kind: TEXT, number: readTextNumber(value), text: value.toWellFormed() });
  } else {
    visitor.container(place, Array.isArray(value));
    if (!isJsonObject(value)) return;
    for (const name in value) visitScore(value[name] ?? null, [...path, name.toWellFormed()], visitor);
  }
}

function finite(number: number): number | null {
  return Number.isFinite(number) ? number : null;
}
