import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

/** What reading an attribute gives: null for a value of another type, which counts as absent. */
type Read<T> = (value: Json) => T | null;

/**
 * The first of these attributes that can be read; null where none can. A dotted name is one member, else nested
 * members. Every call of a load is asked for some twenty, of which it has few.
 */
export function attribute<T>(attributes: JsonObject, names: readonly string[], read: Read<T>): T | null {
  for (const name of names) {
    const whole = attributes[name];
    const found = whole === undefined ? null : read(whole);
    if (found !== null) return found;
    const [root, path] = pathOf(name);
    const first = attributes[root];
    if (typeof first !== "object" || first === null) continue;
    const value = inside(first, path);
    const nested = value === undefined ? null : read(value);
    if (nested !== null) return nested;
  }
  return null;
}

type Path = readonly [root: string, below: readonly string[]];

const PATHS = new Map<string, Path>();

/** Names are those of this program and of its conventions, so there are few. */
function pathOf(name: string): Path {
  const known = PATHS.get(name);
  if (known !== undefined) return known;
  const [root = "", ...below] = name.split(".");
  PATHS.set(name, [root, below]);
  return [root, below];
}

/** A member of members of objects. */
export function inside(value: Json | undefined, path: readonly string[]): Json | undefined {
  let found = value;
  for (const name of path)
    found = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  return found;
}

/** A text that is not empty. */
export function someText(value: Json | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** The first code points of a text. */
export function firstPoints(text: string, most: number): string {
  return Array.from(text.slice(0, 2 * most))
    .slice(0, most)
    .join("")
    .toWellFormed();
}

/** A whole number of 0 or more that a double holds exactly. */
export function wholeNumber(value: Json | undefined): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value + 0 : null;
}

/** A number of 0 or more. */
export function amount(value: Json | undefined): number | null {
  return typeof value === "number" && value >= 0 && value < Infinity ? value + 0 : null;
}
