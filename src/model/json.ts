import {
  jsonPieces,
  longStrings,
  MAX_JSON_DEPTH,
  readJson,
  stringValues,
  tooDeep,
  type Builder,
} from "./read-json.ts";
import { isLongText, mapInSlices, nextTurn, partsOf } from "./turns.ts";

/** Any JSON value. An integer beyond `Number.MAX_SAFE_INTEGER` is a `bigint`, so that no digit is lost. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;
/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member of members of a value, whatever that is; undefined where there is none. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((of, name) => (isJsonObject(of) ? of[name] : undefined), value);
}

/** Builds what {@link parseJson} does. */
const EXACT: Builder<Json> = {
  literal: (value) => value,
  number: (token) => {
    const number = Number(token);
    return Number.isSafeInteger(number) || !/^-?\d+$/.test(token) ? number : BigInt(token);
  },
  string: (value) => value,
  array: (items) => items,
  object: (members) => {
    const object: { [key: string]: Json } = {};
    for (const [name, value] of members) {
      Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
    }
    return object;
  },
};

/** Integers that are too long for `JSON.parse`. */
const LONG_NUMBER = /(?:^|[[:,\s])-?\d{16}/;

/** Parses JSON without losing digits of integers. Throws `SyntaxError` on a text that is not JSON. */
export function parseJson(text: string): Json {
  const value = JSON.parse(text) as Json;
  return LONG_NUMBER.test(text) ? readJson(text, EXACT) : value;
}

/**
 * As `JSON.parse`, or as {@link parseJson} where `isExact`; long strings are read in pieces, so that others have their
 * turn in between. Throws `SyntaxError` on a text that is not JSON.
 */
export async function parseLongJson(text: string, isExact = false): Promise<Json> {
  /** Stands, with a number, for a long string in what is parsed. */
  const mark = crypto.randomUUID();
  const long: string[] = [];
  const rest: string[] = [];
  let kept = 0;
  for (const [start, end] of longStrings(text)) {
    await nextTurn();
    rest.push(text.slice(kept, start), `"${mark}${long.length}"`);
    const values = await mapInSlices(stringValues(text.slice(start, end)), (value) => value);
    await nextTurn();
    long.push(values.join(""));
    kept = end;
  }
  if (long.length === 0) return isExact ? parseJson(text) : (JSON.parse(text) as Json);
  const short = `${rest.join("")}${text.slice(kept)}`;
  JSON.parse(short);
  const string = (value: string) =>
    value.startsWith(mark) ? (long[Number(value.slice(mark.length))] ?? "") : value;
  return readJson(short, { ...EXACT, ...(isExact ? {} : { number: Number }), string });
}

/** {@link parseJson}; of a long text others have their turn in between. */
export function parseAnyJson(text: string): Json | Promise<Json> {
  return isLongText(text) ? parseLongJson(text, true) : parseJson(text);
}

/** Writes the spelling of {@link compactJson}. */
export const COMPACT: Builder<string> = {
  literal: String,
  number: (token) => {
    if (/^-?\d+$/.test(token)) return token === "-0" ? "0" : token;
    const number = Number(token);
    return Number.isFinite(number) ? String(number) : token;
  },
  string: (value) => JSON.stringify(value.toWellFormed()),
  array: (items) => `[${items.join(",")}]`,
  object: (members) =>
    `{${Array.from(members, ([name, value]) => `${JSON.stringify(name.toWellFormed())}:${value}`).join(",")}}`,
};

/**
 * Whether `JSON.stringify(value)` may differ from {@link compactJson} of the text it was parsed from: long
 * integers, numbers out of a double's range, keys that JavaScript reorders, lone surrogates (which DuckDB's
 * JSON functions refuse). Throws `RangeError` on a value nested too deep.
 */
export function isFragile(value: unknown, text: string): boolean {
  return (text.includes("\\") && /\\u[dD][89a-fA-F]/.test(text)) || isFragileValue(value, 0);
}

function isFragileValue(value: unknown, depth: number): boolean {
  if (typeof value === "number")
    return !(Math.abs(value) <= Number.MAX_SAFE_INTEGER) && value === Math.trunc(value);
  if (typeof value !== "object" || value === null) return false;
  if (depth > MAX_JSON_DEPTH) throw tooDeep();
  if (Array.isArray(value)) return value.some((item) => isFragileValue(item, depth + 1));
  let first = true;
  for (const name in value) {
    if (first && isDigit(name.charCodeAt(0))) return true;
    first = false;
    if (isFragileValue((value as { [key: string]: unknown })[name], depth + 1)) return true;
  }
  return false;
}

function isDigit(c: number): boolean {
  return c >= 48 && c <= 57;
}

/**
 * The one spelling in which a value is stored: no blanks, members in their order, the last of repeated
 * members, numbers in their shortest form, integers with all digits.
 */
export function compactJson(text: string): string {
  return readJson(text, COMPACT);
}

/** {@link compactJson}, sooner where the value is not fragile. */
export function compactText(text: string): string {
  const value = JSON.parse(text) as Json;
  return isFragile(value, text) ? compactJson(text) : JSON.stringify(value);
}

/** What {@link readJson} writes of a long text; others have their turn in between. */
export async function writeLongJson(text: string, builder: Builder<string>): Promise<string> {
  await nextTurn();
  const pieces = await mapInSlices(jsonPieces(text, builder), (piece) => piece);
  await nextTurn();
  return pieces.join("");
}

const CANONICAL: Builder<string> = {
  ...COMPACT,
  object: (members) => COMPACT.object(new Map([...members].toSorted(([a], [b]) => (a < b ? -1 : 1)))),
};

/** {@link compactJson} with members by name: equal texts are equal values, also beyond a double's range. */
export function canonicalText(text: string): string {
  return readJson(text, CANONICAL);
}

/** Writes a value as compact JSON. Throws `TypeError` on values that JSON cannot hold: NaN, infinities, functions. */
export function writeJson(value: unknown): string {
  return isPlain(value) ? JSON.stringify(value) : writeAt(value, []);
}

/** Values of a list that are written at once. */
const VALUES = 1000;

/** {@link writeJson} of a long list; others have their turn in between. */
export async function writeLongList(values: readonly unknown[]): Promise<string> {
  const parts = await mapInSlices(partsOf(values, VALUES), (part) => writeJson(part).slice(1, -1));
  await nextTurn();
  return `[${parts.join(",")}]`;
}

/**
 * Whether `JSON.stringify` writes a value as {@link writeJson} does, and `JSON.parse` reads it back: objects without a
 * class, lists, well-formed strings, finite numbers. To look at a value costs no memory, to write it piece by piece ten
 * times its text.
 */
export function isPlain(value: unknown, depth = 0): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return typeof value === "boolean";
  if (value === null) return true;
  if (depth > MAX_JSON_DEPTH || "toJSON" in value) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value)) {
    if (prototype !== Array.prototype) return false;
    for (const item of value as unknown[]) if (!isPlain(item, depth + 1)) return false;
    return true;
  }
  if (prototype !== Object.prototype) return false;
  for (const name in value) {
    const member = (value as { [name: string]: unknown })[name];
    if (member !== undefined && !(name.isWellFormed() && isPlain(member, depth + 1))) return false;
  }
  return true;
}

/** `path` is the way to the value. One list serves all values: a list for each would cost more than the text. */
function writeAt(value: unknown, path: (string | number)[]): string {
  if (typeof value === "string") return JSON.stringify(value.toWellFormed());
  if (value === null || typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new UnwritableJson(path, `${value} is not a JSON number`);
    return Object.is(value, -0) ? "0" : String(value);
  }
  if (typeof value !== "object") throw new UnwritableJson(path, `a ${typeof value} is not a JSON value`);
  if (path.length > MAX_JSON_DEPTH)
    throw new UnwritableJson([], `nested more than ${MAX_JSON_DEPTH} levels deep`);
  if (value instanceof Date && Number.isNaN(value.getTime()))
    throw new UnwritableJson(path, "an invalid date");
  if ("toJSON" in value && typeof value.toJSON === "function") return writeAt(value.toJSON(), path);
  return Array.isArray(value) ? writeList(value, path) : writeMembers(value, path);
}

function writeList(list: readonly unknown[], path: (string | number)[]): string {
  const items = list.map((item, i) => (item === undefined ? "null" : writeBelow(item, path, i)));
  return `[${items.join(",")}]`;
}

function writeMembers(value: object, path: (string | number)[]): string {
  const members: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined)
      members.push(`${JSON.stringify(name.toWellFormed())}:${writeBelow(member, path, name)}`);
  }
  return `{${members.join(",")}}`;
}

function writeBelow(value: unknown, path: (string | number)[], name: string | number): string {
  path.push(name);
  const text = writeAt(value, path);
  path.pop();
  return text;
}

export class UnwritableJson extends TypeError {
  readonly path: readonly (string | number)[];

  constructor(path: readonly (string | number)[], message: string) {
    super(message);
    this.path = path;
  }
}
