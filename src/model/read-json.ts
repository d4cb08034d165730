/** How {@link readJson} builds values. */
export interface Builder<T> {
  readonly literal: (value: null | boolean) => T;
  readonly number: (token: string) => T;
  readonly string: (value: string) => T;
  /** Is given the JSON text of a string of 1 Mi characters and more, where `string` is not to have it as a whole. */
  readonly longString?: (json: string) => T;
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
export function readJson<T>(text: string, builder: Builder<T>): T {
  return readValue({ text, at: 0 }, builder, 0);
}

function readValue<T>(cursor: Cursor, builder: Builder<T>, depth: number): T {
  if (depth > MAX_JSON_DEPTH) throw tooDeep();
  const { text } = cursor;
  cursor.at = skipBlanks(text, cursor.at);
  switch (text.charCodeAt(cursor.at)) {
    case QUOTE:
      return readText(cursor, builder);
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

function readText<T>(cursor: Cursor, { string, longString }: Builder<T>): T {
  const json = readStringJson(cursor);
  return longString === undefined || json.length < LONG_STRING
    ? string(JSON.parse(json) as string)
    : longString(json);
}

function readStringJson(cursor: Cursor): string {
  const from = cursor.at;
  cursor.at = endOfString(cursor.text, from);
  return cursor.text.slice(from, cursor.at);
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
    const name = JSON.parse(readStringJson(cursor)) as string;
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

/** Longer strings are written in pieces of so many characters. */
const PIECE = 64 * 1024;
const LONG_STRING = 16 * PIECE;

/** What {@link readJson} writes, in pieces, so that a long string is neither read nor written at once. */
export function* jsonPieces(text: string, builder: Builder<string>): Generator<string, void, undefined> {
  const long: string[] = [];
  const longString = (json: string) => `\0${String(long.push(json) - 1)}\0`;
  // What is between two U+0000, which no JSON text has, is the place of a long string.
  for (const [i, piece] of readJson(text, { ...builder, longString })
    .split("\0")
    .entries()) {
    if (i % 2 === 0) yield piece;
    else {
      yield '"';
      yield* stringPieces(long[Number(piece)] ?? "", builder);
      yield '"';
    }
  }
}

function* stringPieces(json: string, { string }: Builder<string>): Generator<string, void, undefined> {
  for (const value of stringValues(json)) yield string(value).slice(1, -1);
}

/** A JSON text from its start to the end of the last whole character of a string. */
const STRING_START = /^"(?:[^"\\]|\\(?:u[\da-fA-F]{4}|[^u]))*/;

/** What a string says of whose JSON this is the start, and whether that is all; null where it is of no string. */
export function stringStart(json: string): { readonly value: string; readonly isWhole: boolean } | null {
  const [start] = STRING_START.exec(json) ?? [];
  if (start === undefined) return null;
  return { value: JSON.parse(`${start}"`) as string, isWhole: json.charAt(start.length) === '"' };
}

/** What a JSON string says, in pieces, none of which ends within a character. */
export function* stringValues(json: string): Generator<string, void, undefined> {
  const end = json.length - 1;
  /** The first half of a character whose second one is in the next piece. */
  let half = "";
  for (let from = 1, to = 1; from < end; from = to) {
    const most = Math.min(from + PIECE, end);
    while (to < most)
      to += json.charCodeAt(to) !== BACKSLASH ? 1 : json.charCodeAt(to + 1) === LETTER_U ? 6 : 2;
    const value = half + (JSON.parse(`"${json.slice(from, to)}"`) as string);
    half = to < end && /[\ud800-\udbff]$/.test(value.slice(-1)) ? value.slice(-1) : "";
    yield value.slice(0, value.length - half.length);
  }
}

/**
 * Where the long strings of a JSON text that are values begin and end. Throws `SyntaxError` at a string without an end.
 */
export function* longStrings(
  text: string,
): Generator<readonly [start: number, end: number], void, undefined> {
  for (let start = text.indexOf('"'); start !== -1;) {
    const end = endOfString(text, start);
    if (end - start >= LONG_STRING && text.charCodeAt(skipBlanks(text, end)) !== COLON) yield [start, end];
    start = text.indexOf('"', end);
  }
}

export function tooDeep(): RangeError {
  return new RangeError(`nested more than ${MAX_JSON_DEPTH} levels deep`);
}

export const QUOTE = 34;
export const COMMA = 44;
export const COLON = 58;
export const OPEN_BRACKET = 91;
export const BACKSLASH = 92;
export const CLOSE_BRACKET = 93;
const LETTER_F = 102;
const LETTER_N = 110;
const LETTER_T = 116;
const LETTER_U = 117;
export const OPEN_BRACE = 123;
export const CLOSE_BRACE = 125;

const NO_BLANK = /[^\t-\r ]/g;
/** So many blanks are skipped one by one; for few that is faster. */
const FEW_BLANKS = 256;

export function skipBlanks(text: string, from: number): number {
  let i = from;
  for (let c = text.charCodeAt(i); c === 32 || (c >= 9 && c <= 13); c = text.charCodeAt(i))
    if (++i - from > FEW_BLANKS) {
      NO_BLANK.lastIndex = i;
      return NO_BLANK.test(text) ? NO_BLANK.lastIndex - 1 : text.length;
    }
  return i;
}

/** Where the string that begins with the quote at `from` ends; -1 where it has no end. */
export function closingQuote(text: string, from: number): number {
  for (let quote = text.indexOf('"', from + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let first = quote;
    while (text.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((quote - first) % 2 === 0) return quote;
  }
  return -1;
}

export function endOfString(text: string, from: number): number {
  const end = closingQuote(text, from);
  if (end === -1) throw new SyntaxError(`a string without an end at ${from}`);
  return end + 1;
}
