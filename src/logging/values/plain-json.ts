import { EvalcubeError, formatPath } from "../../errors.ts";
import type { Json } from "../../model/json.ts";
import { MAX_JSON_DEPTH } from "../../model/read-json.ts";

/** A value as JSON can hold it, and about how many characters of JSON it makes. */
export interface PlainJson {
  readonly value: Json;
  readonly size: number;
}

/** A call holds its values a few levels below its own. */
const MAX_DEPTH = MAX_JSON_DEPTH - 8;

interface Walk {
  readonly path: (string | number)[];
  /** The objects around the value; one that holds itself would never end. */
  readonly around: Set<object>;
  size: number;
}

/**
 * Copies a value as JSON: members that are undefined are left out, a `Date` becomes ISO 8601, a `bigint` keeps its digits. Throws
 * `invalid_value` with the path, which begins with `name`, on what JSON cannot hold.
 */
export function plainJson(value: unknown, name: string | readonly [string, ...string[]]): PlainJson {
  const walk: Walk = { path: typeof name === "string" ? [name] : [...name], around: new Set(), size: 0 };
  return { value: copy(value, walk), size: walk.size };
}

export function invalidValue(path: readonly (string | number)[], reason: string): EvalcubeError {
  return new EvalcubeError("invalid_value", `${formatPath(path)}: ${reason}`);
}

function copy(value: unknown, walk: Walk): Json {
  switch (typeof value) {
    case "string":
      walk.size += value.length + 2;
      return value.toWellFormed();
    case "number":
      if (!Number.isFinite(value)) throw refusal(walk, String(value));
      walk.size += 8;
      return value === 0 ? 0 : value;
    case "boolean":
    case "bigint":
      walk.size += 8;
      return value;
    case "object":
      walk.size += 4;
      return value === null ? null : copyObject(value, walk);
    case "undefined":
      throw refusal(walk, "undefined");
    case "function":
    case "symbol":
      throw refusal(walk, `a ${typeof value}`);
  }
}

function copyObject(value: object, walk: Walk): Json {
  if (walk.around.has(value)) throw invalidValue(walk.path, "refers to itself, which JSON cannot");
  if (walk.around.size >= MAX_DEPTH)
    throw invalidValue([walk.path[0] ?? ""], `is nested more than ${MAX_DEPTH} levels deep`);
  walk.around.add(value);
  const copied = Array.isArray(value) ? copyList(value, walk) : copyMembers(value, walk);
  walk.around.delete(value);
  return copied;
}

function copyList(list: readonly unknown[], walk: Walk): Json[] {
  return Array.from(list, (item, i) => {
    walk.path.push(i);
    const copied = copy(item === undefined ? null : item, walk);
    walk.path.pop();
    return copied;
  });
}

function copyMembers(value: object, walk: Walk): Json {
  if (value instanceof Date && Number.isNaN(value.getTime())) throw refusal(walk, "an invalid Date");
  if ("toJSON" in value && typeof value.toJSON === "function") {
    const json: unknown = value.toJSON();
    return copy(json === undefined ? null : json, walk);
  }
  // A Map, an Error or a Promise has no members of its own: it would be stored as {}.
  const kind = Object.prototype.toString.call(value).slice("[object ".length, -1);
  if (kind !== "Object") throw refusal(walk, `${/^[AEIOU]/.test(kind) ? "an" : "a"} ${kind}`);
  const members: { [name: string]: Json } = {};
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    walk.path.push(name);
    walk.size += name.length + 4;
    const own = { value: copy(member, walk), enumerable: true, configurable: true, writable: true };
    Object.defineProperty(members, name.toWellFormed(), own);
    walk.path.pop();
  }
  return members;
}

function refusal(walk: Walk, what: string): EvalcubeError {
  return invalidValue(
    walk.path,
    `${what} is no JSON ${/^(-?Infinity|NaN)$/.test(what) ? "number" : "value"}`,
  );
}
