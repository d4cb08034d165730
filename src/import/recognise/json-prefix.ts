/** A JSON value whose text may end in its middle; what is behind the end is missing. */
export type Prefix =
  | null
  | boolean
  | number
  | string
  | readonly Prefix[]
  | { readonly [name: string]: Prefix };

interface Cursor {
  readonly text: string;
  at: number;
}

const MAX_DEPTH = 200;
const WORD = /[^\s,:[\]{}"]+/y;
const BLANK = /\s*/y;

/** Reads as much of a JSON text as there is; undefined where it does not begin like one. */
export function readPrefix(text: string): Prefix | undefined {
  const cursor = { text, at: 0 };
  skipBlanks(cursor);
  return "{[".includes(text[cursor.at] ?? " ") ? readValue(cursor, 0) : undefined;
}

export function isPrefixObject(value: Prefix | undefined): value is { readonly [name: string]: Prefix } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readValue(cursor: Cursor, depth: number): Prefix | undefined {
  if (depth > MAX_DEPTH) return undefined;
  skipBlanks(cursor);
  const mark = cursor.text[cursor.at];
  if (mark === "{") return readObject(cursor, depth);
  if (mark === "[") return readList(cursor, depth);
  if (mark === '"') return readString(cursor);
  WORD.lastIndex = cursor.at;
  const word = WORD.exec(cursor.text)?.[0];
  if (word === undefined) return undefined;
  cursor.at += word.length;
  if (word === "true" || word === "false") return word === "true";
  const number = Number(word);
  return Number.isNaN(number) ? null : number;
}

function readObject(cursor: Cursor, depth: number): Prefix {
  const members = new Map<string, Prefix>();
  cursor.at++;
  while (!endsHere(cursor, "}")) {
    const name = readString(cursor);
    skipBlanks(cursor);
    if (name === undefined || cursor.text[cursor.at] !== ":") break;
    cursor.at++;
    const value = readValue(cursor, depth + 1);
    if (value === undefined) break;
    members.set(name, value);
  }
  return Object.fromEntries(members);
}

function readList(cursor: Cursor, depth: number): Prefix {
  const items: Prefix[] = [];
  cursor.at++;
  while (!endsHere(cursor, "]")) {
    const value = readValue(cursor, depth + 1);
    if (value === undefined) break;
    items.push(value);
  }
  return items;
}

/** Undefined where the string does not end. */
function readString(cursor: Cursor): string | undefined {
  const from = cursor.at;
  if (cursor.text[from] !== '"') return undefined;
  let at = from + 1;
  while (at < cursor.text.length && cursor.text[at] !== '"') at += cursor.text[at] === "\\" ? 2 : 1;
  cursor.at = at + 1;
  if (at >= cursor.text.length) return undefined;
  try {
    return JSON.parse(cursor.text.slice(from, at + 1)) as string;
  } catch {
    return undefined;
  }
}

/** Skips blanks and a comma. True behind the closing mark, and at the end of the text. */
function endsHere(cursor: Cursor, close: string): boolean {
  skipBlanks(cursor);
  if (cursor.text[cursor.at] === ",") cursor.at++;
  skipBlanks(cursor);
  if (cursor.at >= cursor.text.length) return true;
  if (cursor.text[cursor.at] !== close) return false;
  cursor.at++;
  return true;
}

function skipBlanks(cursor: Cursor): void {
  BLANK.lastIndex = cursor.at;
  cursor.at += BLANK.exec(cursor.text)?.[0].length ?? 0;
}
