/** A JSON value whose text may end in its middle; what is behind the end is missing. */
export type Prefix =
  | null
  | boolean
  | number
  | string
  | readonly Prefix[]
  | { readonly [name: string]: Prefix };

const MAX_DEPTH = 200;
/** A mark, a string or a word. A string that does not end is none of them. */
const TOKEN = /\s*([{}[\],:]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s,:[\]{}"]+)/gsy;

/** Reads as much of a JSON text as there is; undefined where it does not begin like one. */
export function readPrefix(text: string): Prefix | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  const tokens = text.matchAll(TOKEN);
  return readValue(() => tokens.next().value?.[1], 0);
}

export function isPrefixObject(value: Prefix | undefined): value is { readonly [name: string]: Prefix } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is an object that has all of these members. */
export function hasMembers(value: Prefix | undefined, ...names: readonly string[]): boolean {
  return isPrefixObject(value) && names.every((name) => name in value);
}

/** Gives the next token; undefined where there are no more. */
type Next = () => string | undefined;

/** The value that begins with `token`; undefined where there is none. */
function readValue(next: Next, depth: number, token = next()): Prefix | undefined {
  if (depth > MAX_DEPTH || token === undefined) return undefined;
  if (token === "{") return readObject(next, depth);
  if (token === "[") return readList(next, depth);
  if (token.startsWith('"')) return readString(token);
  if (/^[}\],:]$/.test(token)) return undefined;
  if (token === "true" || token === "false") return token === "true";
  const number = Number(token);
  return Number.isNaN(number) ? null : number;
}

function readObject(next: Next, depth: number): Prefix {
  const members = new Map<string, Prefix>();
  for (const token of tokensUntil(next, "}")) {
    const name = readString(token);
    if (name === undefined || next() !== ":") break;
    const value = readValue(next, depth + 1);
    if (value === undefined) break;
    members.set(name, value);
  }
  return Object.fromEntries(members);
}

function readList(next: Next, depth: number): Prefix {
  const items: Prefix[] = [];
  for (const token of tokensUntil(next, "]")) {
    const value = readValue(next, depth + 1, token);
    if (value === undefined) break;
    items.push(value);
  }
  return items;
}

/** The first token of each item, up to the closing mark. */
function* tokensUntil(next: Next, close: string): Generator<string> {
  for (let token = next(); token !== undefined && token !== close; token = next()) {
    const first = token === "," ? next() : token;
    if (first === undefined || first === close) return;
    yield first;
  }
}

function readString(token: string): string | undefined {
  try {
    return token.startsWith('"') ? (JSON.parse(token) as string) : undefined;
  } catch {
    return undefined;
  }
}
