import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

/** What reading an attribute gives: null for a value of another type, which counts as absent. */
type Read<T> = (value: Json) => T | null;

/**
 * The first of these attributes that can be read; null where none can. A dotted name is one member, else nested
 * members.
 */
export function attribute<T>(attributes: JsonObject, names: readonly string[], read: Read<T>): T | null {
  for (const name of names)
    for (const path of pathsOf(name)) {
      const value = inside(attributes, path);
      const found = value === undefined ? null : read(value);
      if (found !== null) return found;
    }
  return null;
}

const PATHS = new Map<string, readonly (readonly string[])[]>();

/** Names are those of this program and of its conventions, so there are few. */
function pathsOf(name: string): readonly (readonly string[])[] {
  const known = PATHS.get(name);
  if (known !== undefined) return known;
  const paths = [[name], name.split(".")];
  PATHS.set(name, paths);
  return paths;
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
