// A JSON value without loss: objects are maps in member order, integers that a double cannot hold are BigInt.

export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;
export type JsonObject = ReadonlyMap<string, Json>;

export const EMPTY: JsonObject = new Map();

export function isObject(value: Json | undefined): value is JsonObject {
  return value instanceof Map;
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function isNumber(value: Json | undefined): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

export function asText(value: Json | undefined): string {
  if (typeof value !== "string") throw new TypeError(`not text: ${compactText(value ?? null)}`);
  return value;
}

export function asList(value: Json | undefined): readonly Json[] {
  if (!isList(value)) throw new TypeError(`not a list: ${compactText(value ?? null)}`);
  return value;
}

export function objectOr(value: Json | undefined, otherwise: JsonObject): JsonObject {
  return isObject(value) ? value : otherwise;
}

export function member(value: Json | undefined, ...path: readonly string[]): Json {
  let current: Json = value ?? null;
  for (const key of path) {
    current = isObject(current) ? (current.get(key) ?? null) : null;
  }
  return current;
}

const TOKEN =
  /[ \t\r\n]*(?:([[\]{},:])|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null))/y;

// Of duplicate keys the last value stands, at the position of the first.
export function parseJson(text: string): Json {
  let position = 0;

  function next(): RegExpExecArray {
    TOKEN.lastIndex = position;
    const token = TOKEN.exec(text);
    if (token === null) throw new SyntaxError(`JSON expected at ${position}: ${text.slice(position, 40)}`);
    position = TOKEN.lastIndex;
    return token;
  }

  function value(token: RegExpExecArray): Json {
    const [, mark, quoted, digits, word] = token;
    if (quoted !== undefined) return String(JSON.parse(quoted));
    if (digits !== undefined) return numberFrom(digits);
    if (word !== undefined) return word === "null" ? null : word === "true";
    if (mark === "[") return list();
    if (mark === "{") return object();
    throw new SyntaxError(`unexpected ${mark} before ${position}`);
  }

  function list(): Json {
    const items: Json[] = [];
    for (let token = next(); token[1] !== "]"; token = next()) {
      items.push(value(token[1] === "," ? next() : token));
    }
    return items;
  }

  function object(): Json {
    const members = new Map<string, Json>();
    for (let token = next(); token[1] !== "}"; token = next()) {
      const key = value(token[1] === "," ? next() : token);
      if (typeof key !== "string" || next()[1] !== ":")
        throw new SyntaxError(`member expected at ${position}`);
      members.set(key, value(next()));
    }
    return members;
  }

  const result = value(next());
  if (text.slice(position).trim() !== "") throw new SyntaxError(`text after JSON at ${position}`);
  return result;
}

function numberFrom(text: string): number | bigint {
  if (/^-?\d+$/.test(text)) {
    const near = Number(text);
    return Number.isSafeInteger(near) ? near : BigInt(text);
  }
  return fromNumber(Number(text));
}

// So that a value and its text form stay in step: 2 ** 53 is written as digits and read as BigInt.
function fromNumber(value: number): number | bigint {
  if (!Number.isFinite(value)) throw new RangeError("a JSON number must be finite");
  const text = String(value);
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(text) ? value : BigInt(text);
}

export function fromPlain(value: unknown): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === "number") return fromNumber(value);
  if (typeof value === "bigint") return numberFrom(String(value));
  if (typeof value === "boolean" || typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(fromPlain);
  if (typeof value !== "object") throw new TypeError(`not JSON: ${typeof value}`);
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return new Map(members.map(([key, inner]) => [key, fromPlain(inner)]));
}

export function toPlain(value: Json): unknown {
  if (isList(value)) return value.map(toPlain);
  if (isObject(value)) return Object.fromEntries([...value].map(([key, inner]) => [key, toPlain(inner)]));
  return Object.is(value, -0) ? 0 : value;
}

// Members in stored order.
export function compactText(value: Json): string {
  if (typeof value === "bigint") return String(value);
  if (isList(value)) return `[${value.map(compactText).join(",")}]`;
  if (isObject(value)) {
    return `{${[...value].map(([key, inner]) => `${JSON.stringify(key)}:${compactText(inner)}`).join(",")}}`;
  }
  return JSON.stringify(value);
}

// Members sorted by code unit.
export function canonicalText(value: Json): string {
  return compactText(sortMembers(value));
}

function sortMembers(value: Json): Json {
  if (isList(value)) return value.map(sortMembers);
  if (!isObject(value)) return value;
  const keys = [...value.keys()].sort();
  return new Map(keys.map((key) => [key, sortMembers(member(value, key))]));
}
