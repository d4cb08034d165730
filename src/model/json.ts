/** Any JSON value. An integer beyond `Number.MAX_SAFE_INTEGER` is a `bigint`, so that no digit is lost. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;
/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** How {@link readJson} builds values. */
interface Builder<T> {
  readonly literal: (value: null | boolean) => T;
  readonly number: (token: string) => T;
  readonly string: (value: string) => T;
  readonly array: (items: T[]) => T;
  /** Members in text order; a repeated name keeps its first place and its last value. */
  readonly object: (members: Map<string, T>) => T;
}

/** Deeper nesting is refused: it could exhaust the stack. */
export const MAX_JSON_DEPTH = 1000;

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** A text, and how far it has been read. */
interface Cursor {
  readonly text: string;
  at: number;
}

/** Reads a text that `JSON.parse` accepts; numbers are passed on as they are written. */
function readJson<T>(text: string, builder: Builder<T>): T {
  return readValue({ text, at: 0 }, builder, 0);
}

function readValue<T>(cursor: Cursor, builder: Builder<T>, depth: number): T {
  if (depth > MAX_JSON_DEPTH) throw tooDeep();
  const { text } = cursor;
  cursor.at = skipBlanks(text, cursor.at);
  switch (text.charCodeAt(cursor.at)) {
    case QUOTE:
      return builder.string(readString(cursor));
    case OPEN_BRACE:
      return readObject(cursor, builder, depth);
    case OPEN_BRACKET:
      return readArray(cursor, builder, depth);
    case LETTER_N:
      cursor.at += "null".length;
      return builder.literal(null);
    case LETTER_T:
      cursor.at += "true".length;
      return builder.literal(true);
    case LETTER_F:
      cursor.at += "false".length;
      return builder.literal(false);
    default:
      return builder.number(readNumber(cursor));
  }
}

function readString(cursor: Cursor): string {
  const from = cursor.at;
  cursor.at = endOfString(cursor.text, from);
  return JSON.parse(cursor.text.slice(from, cursor.at)) as string;
}

function readNumber(cursor: Cursor): string {
  NUMBER.lastIndex = cursor.at;
  const match = NUMBER.exec(cursor.text);
  if (match === null) throw new SyntaxError(`not a JSON text at ${cursor.at}`);
  cursor.at += match[0].length;
  return match[0];
}

function readArray<T>(cursor: Cursor, builder: Builder<T>, depth: number): T {
  const items: T[] = [];
  cursor.at++;
  while (!endsHere(cursor, CLOSE_BRACKET)) items.push(readValue(cursor, builder, depth + 1));
  return builder.array(items);
}

function readObject<T>(cursor: Cursor, builder: Builder<T>, depth: number): T {
  const members = new Map<string, T>();
  cursor.at++;
  while (!endsHere(cursor, CLOSE_BRACE)) {
    const name = readString(cursor);
    cursor.at = skipBlanks(cursor.text, cursor.at) + 1;
    members.set(name, readValue(cursor, builder, depth + 1));
  }
  return builder.object(members);
}

/** Skips blanks and a comma. True at the closing mark, which it skips too. */
function endsHere(cursor: Cursor, close: number): boolean {
  const { text } = cursor;
  cursor.at = skipBlanks(text, cursor.at);
  if (text.charCodeAt(cursor.at) === COMMA) cursor.at = skipBlanks(text, cursor.at + 1);
  if (text.charCodeAt(cursor.at) !== close) return false;
  cursor.at++;
  return true;
}

const PLAIN: Builder<Json> = {
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
  return LONG_NUMBER.test(text) ? readJson(text, PLAIN) : value;
}

/** A number as a JSON text spells it: `1000.0`, `1e-320`, `18446744073709551615`. */
export class WrittenNumber {
  readonly spelling: string;

  constructor(spelling: string) {
    this.spelling = spelling;
  }
}

/** JSON whose numbers keep their spelling, so that {@link writeWrittenJson} gives them back as they were. */
export type WrittenJson = null | boolean | string | WrittenNumber | readonly WrittenJson[] | WrittenObject;
export type WrittenObject = { readonly [name: string]: WrittenJson };

export function isWrittenObject(value: WrittenJson | undefined): value is WrittenObject {
  return isJsonObject(value) && !(value instanceof WrittenNumber);
}

const WRITTEN: Builder<WrittenJson> = {
  literal: (value) => value,
  number: (token) => new WrittenNumber(token),
  string: (value) => value,
  array: (items) => items,
  object: (members) => Object.fromEntries(members),
};

/** Throws `SyntaxError` on a text that is not JSON, `RangeError` on one that is nested too deep. */
export function parseWrittenJson(text: string): WrittenJson {
  JSON.parse(text);
  return readJson(text, WRITTEN);
}

export function writeWrittenJson(value: WrittenJson): string {
  if (value instanceof WrittenNumber) return value.spelling;
  if (Array.isArray(value)) return `[${(value as readonly WrittenJson[]).map(writeWrittenJson).join(",")}]`;
  if (!isWrittenObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${writeWrittenJson(member)}`,
  );
  return `{${members.join(",")}}`;
}

const COMPACT: Builder<string> = {
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
  return (text.includes("\\u") && /\\u[dD][89a-fA-F]/.test(text)) || isFragileValue(value, 0);
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

function tooDeep(): RangeError {
  return new RangeError(`nested more than ${MAX_JSON_DEPTH} levels deep`);
}

/**
 * The one spelling in which a value is stored: no blanks, members in their order, the last of repeated
 * members, numbers in their shortest form, integers with all digits.
 */
export function compactJson(text: string): string {
  return readJson(text, COMPACT);
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
export function writeJson(value: unknown, path: (string | number)[] = []): string {
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
  if ("toJSON" in value && typeof value.toJSON === "function") return writeJson(value.toJSON(), path);
  if (Array.isArray(value)) {
    return `[${value.map((item: unknown, i) => (item === undefined ? "null" : writeJson(item, [...path, i]))).join(",")}]`;
  }
  const members: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined)
      members.push(`${JSON.stringify(name.toWellFormed())}:${writeJson(member, [...path, name])}`);
  }
  return `{${members.join(",")}}`;
}

export class UnwritableJson extends TypeError {
  readonly path: readonly (string | number)[];

  constructor(path: readonly (string | number)[], message: string) {
    super(message);
    this.path = path;
  }
}

/** The raw text of each member of a JSON object, by name; of repeated names the last. */
export function memberTexts(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let i = skipBlanks(text, skipBlanks(text, 0) + 1);
  while (text.charCodeAt(i) !== CLOSE_BRACE) {
    if (text.charCodeAt(i) === COMMA) i = skipBlanks(text, i + 1);
    const nameEnd = endOfString(text, i);
    const name = text.slice(i, nameEnd);
    const start = skipBlanks(text, skipBlanks(text, nameEnd) + 1);
    const end = endOfValue(text, start);
    members.set(
      name.includes("\\") ? (JSON.parse(name) as string) : name.slice(1, -1),
      text.slice(start, end),
    );
    i = skipBlanks(text, end);
  }
  return members;
}

const QUOTE = 34;
const COMMA = 44;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const LETTER_F = 102;
const LETTER_N = 110;
const LETTER_T = 116;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

function skipBlanks(text: string, from: number): number {
  let i = from;
  for (let c = text.charCodeAt(i); c === 32 || (c >= 9 && c <= 13); c = text.charCodeAt(i)) i++;
  return i;
}

function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let unescaped = end;
    while (text.charCodeAt(unescaped - 1) === BACKSLASH) unescaped--;
    if ((end - unescaped) % 2 === 0) return end + 1;
  }
  throw new SyntaxError(`a string without an end at ${from}`);
}

function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) i = endOfString(text, i) - 1;
    else if (c === OPEN_BRACE || c === OPEN_BRACKET) depth++;
    else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) {
      if (depth === 0) return trimBlanks(text, i);
      depth--;
    } else if (c === COMMA && depth === 0) return trimBlanks(text, i);
  }
  return text.length;
}

function trimBlanks(text: string, end: number): number {
  let i = end;
  while (i > 0 && text.charCodeAt(i - 1) <= 32) i--;
  return i;
}
