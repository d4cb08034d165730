import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { SourceFault } from "./fault.ts";
import { withoutNoNumbers } from "./no-numbers.ts";

const NOTHING: JsonObject = {};

/** What lies at the end of a path of names; undefined where there is nothing. */
function memberIn(value: Json | undefined, path: readonly string[]): Json | undefined {
  let member = value;
  for (const name of path) member = isJsonObject(member) ? member[name] : undefined;
  return member;
}

/** A member, or one further inside, that is an object; an empty one where it is none. */
export function objectAt(value: Json | undefined, ...path: readonly string[]): JsonObject {
  const member = memberIn(value, path);
  return isJsonObject(member) ? member : NOTHING;
}

export function listAt(value: Json | undefined, ...path: readonly string[]): readonly Json[] {
  const member = memberIn(value, path);
  return Array.isArray(member) ? (member as readonly Json[]) : [];
}

/** A text that is not empty; null where there is none. */
export function textAt(value: Json | undefined, ...path: readonly string[]): string | null {
  const member = memberIn(value, path);
  return typeof member === "string" && member !== "" ? member : null;
}

/** A finite number; null where there is none. */
export function numberAt(value: Json | undefined, ...path: readonly string[]): number | null {
  const member = memberIn(value, path);
  return typeof member === "number" && Number.isFinite(member) ? member : null;
}

/** A whole number of at least 0; null where there is nothing. Throws {@link SourceFault} on any other value. */
export function wholeAt(value: JsonObject, name: string, place: string): number | null {
  const member = value[name] ?? null;
  if (member === null) return null;
  if (typeof member === "number" && Number.isSafeInteger(member) && member >= 0) return member;
  throw new SourceFault(
    "invalid",
    `${place}.${name}`,
    `is ${named(member)}; a whole number of at least 0 is allowed`,
  );
}

function named(value: Json): string {
  if (typeof value === "object") return Array.isArray(value) ? "a list" : "an object";
  return typeof value === "string" ? JSON.stringify(value.slice(0, 40)) : String(value);
}

/** Names of members by the type that they have where they are there. */
export type MemberTypes = { readonly [type in keyof typeof IS_TYPE]?: readonly string[] };

const IS_TYPE = {
  object: isJsonObject,
  list: (value: Json) => Array.isArray(value),
  text: (value: Json) => typeof value === "string",
  number: (value: Json) => typeof value === "number" || typeof value === "bigint",
  boolean: (value: Json) => typeof value === "boolean",
};

/** Throws {@link SourceFault} on a member of another type than it must have; null counts as absent. */
export function checkMembers(value: JsonObject, types: MemberTypes, place: string | null): void {
  for (const [type, names] of Object.entries(types) as [keyof typeof IS_TYPE, readonly string[]][])
    for (const name of names) {
      const member = value[name] ?? null;
      if (member === null || IS_TYPE[type](member)) continue;
      const inside = place === null ? name : `${place}, ${name}`;
      throw new SourceFault("invalid", inside, `is ${named(member)} where ${NAMES[type]} is needed`);
    }
}

const NAMES = {
  object: "an object",
  list: "a list",
  text: "a text",
  number: "a number",
  boolean: "true or false",
};

/**
 * An object whose members have these types, with the marks of NaN and infinities and without them. `mayHaveMarks`:
 * whether it may have any. Throws {@link SourceFault}.
 */
export function readMembers(value: Json, types: MemberTypes, place: string | null, mayHaveMarks = true) {
  const marked = expectObject(value, place);
  const plain = mayHaveMarks ? expectObject(withoutNoNumbers(marked), place) : marked;
  checkMembers(plain, types, place);
  return { marked, plain };
}

/** An object; throws where the value is none. */
export function expectObject(value: Json, place: string | null): JsonObject {
  if (isJsonObject(value)) return value;
  throw new SourceFault("invalid", place, "is not an object");
}

/** The members of an object that have a value and are named. */
export function pick(value: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => (value[name] === undefined || value[name] === null ? [] : [[name, value[name]]])),
  );
}

export function omit(value: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

/**
 * The member at a path such as `input.0.content`; undefined where there is none. A member whose name holds dots has
 * precedence.
 */
export function memberAt(value: Json, path: string): Json | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const members = value as JsonObject;
  if (Object.hasOwn(members, path)) return members[path];
  const dot = path.indexOf(".");
  const first = path.slice(0, dot);
  return dot < 0 || !Object.hasOwn(members, first)
    ? undefined
    : memberAt(members[first] ?? null, path.slice(dot + 1));
}
