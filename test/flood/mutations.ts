import type { Random } from "../../src/stats/numeric/random.ts";
import { hostileJsonText, hostileValue, JsonText, NAMES, pick, whole } from "./hostile-values.ts";

type Place = readonly string[];

function isBranch(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}

function placesOf(value: unknown, place: Place = []): Place[] {
  if (!isBranch(value)) return [place];
  return [place, ...Object.entries(value).flatMap(([name, inner]) => placesOf(inner, [...place, name]))];
}

/** The value with `change` made at one place; only the path to it is copied. */
function changedAt(value: unknown, [name, ...rest]: Place, change: (inner: unknown) => unknown): unknown {
  if (name === undefined || !isBranch(value)) return change(value);
  if (Array.isArray(value)) {
    return value.map((inner: unknown, at) => (String(at) === name ? changedAt(inner, rest, change) : inner));
  }
  return withMember(value, name, changedAt(value[name], rest, change));
}

function withMember(value: Record<string, unknown>, name: string, inner: unknown): Record<string, unknown> {
  return Object.fromEntries([...Object.entries(value).filter(([other]) => other !== name), [name, inner]]);
}

/** A valid value with one thing wrong: another value in a place, or a member removed or added. */
export function mutatedValue(random: Random, valid: unknown): unknown {
  return mutated(random, valid, hostileValue, withMember);
}

/** JSON with one thing wrong; a member may be there twice. */
export function mutatedJson(random: Random, valid: unknown): string {
  return writeText(mutated(random, valid, hostileJsonText, (...parts) => new Doubled(...parts)));
}

/** The bytes of a text, of which a few may be others. */
export function brokenBytes(random: Random, text: string): Buffer {
  const bytes = Buffer.from(text);
  const broken = random() < 0.3 ? whole(random, 4) : 0;
  for (let left = broken; left > 0; left--) bytes[whole(random, bytes.length)] = whole(random, 256);
  return bytes;
}

function mutated(
  random: Random,
  valid: unknown,
  hostile: (random: Random) => unknown,
  again: (members: Record<string, unknown>, name: string, other: unknown) => unknown,
): unknown {
  const place = pick(random, placesOf(valid));
  const other = hostile(random);
  const kind = random();
  if (kind < 0.55) return changedAt(valid, place, () => other);
  return changedAt(valid, place.slice(0, -1), (parent) => {
    const name = place.at(-1);
    if (!isBranch(parent) || name === undefined) return other;
    if (Array.isArray(parent)) {
      return kind < 0.75 ? parent.filter((_, at) => String(at) !== name) : [...parent, other];
    }
    if (kind < 0.75) return Object.fromEntries(Object.entries(parent).filter(([key]) => key !== name));
    if (kind < 0.85)
      return withMember(parent, pick(random, [...NAMES, `${name}s`, name.toUpperCase()]), other);
    return again(parent, name, other);
  });
}

/** An object that has a member twice when it is written. */
class Doubled {
  readonly members: Record<string, unknown>;
  readonly name: string;
  readonly again: unknown;

  constructor(members: Record<string, unknown>, name: string, again: unknown) {
    this.members = members;
    this.name = name;
    this.again = again;
  }
}

/** JSON as it is sent. */
function writeText(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  if (value instanceof Doubled) {
    const inner = writeText(value.members).slice(1, -1);
    return `{${inner}${inner === "" ? "" : ","}${JSON.stringify(value.name)}:${writeText(value.again)}}`;
  }
  if (Array.isArray(value)) return `[${value.map(writeText).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    return `{${Object.entries(value)
      .map(([name, inner]) => `${JSON.stringify(name)}:${writeText(inner)}`)
      .join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}
