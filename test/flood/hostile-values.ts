import type { Random } from "../../src/stats/numeric/random.ts";
import { hostileTexts } from "../support/hostile-texts.ts";

/** JSON text that no value of the language says: numbers out of range, doubled members, deep nesting. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export function whole(random: Random, below: number): number {
  return Math.floor(random() * below);
}

export function pick<T>(random: Random, items: readonly [T, ...T[]] | readonly T[]): T {
  const item = items[whole(random, items.length)];
  if (item === undefined && items.length === 0) throw new Error("there is nothing to pick from");
  return item as T;
}

/** Names of members that are not like others. */
export const NAMES = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "length",
  "",
  "a\0b",
  "$expr",
  "id",
];
const LONG = 70_000;

export function hostileText(random: Random): string {
  const kind = random();
  if (kind < 0.6) return pick(random, hostileTexts);
  if (kind < 0.75) return pick(random, NAMES);
  if (kind < 0.85) return pick(random, ["\ud800", "a\udc00b", "\udfff\ud800", "\0", "a\0b"]);
  if (kind < 0.88) return pick(random, ["x", "é", "\\", '"', "(", "a."]).repeat(LONG);
  return String.fromCharCode(...Array.from({ length: whole(random, 8) }, () => whole(random, 0x10000)));
}

const NUMBERS = [0, -0, 1, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 2 ** 64, 1e21, 5e-324, Number.MAX_VALUE];

const TEXTS_OF_NUMBERS = [
  "1e400",
  "-1e400",
  "1e-400",
  "9007199254740993",
  "1".repeat(400),
  `0.${"1".repeat(400)}`,
];

function nested(random: Random, inner: () => unknown): unknown {
  const size = whole(random, 4);
  if (random() < 0.5) return Array.from({ length: size }, inner);
  const entries = Array.from({ length: size }, () => [hostileText(random), inner()] as const);
  // As `JSON.parse` has it: a member `__proto__` of its own.
  return Object.fromEntries(entries);
}

/** A value of any kind of JSON. */
function hostileJson(random: Random, depth = 2): unknown {
  const kind = random();
  if (kind < 0.1) return null;
  if (kind < 0.2) return random() < 0.5;
  if (kind < 0.4) return pick(random, NUMBERS);
  if (kind < 0.75 || depth === 0) return hostileText(random);
  return nested(random, () => hostileJson(random, depth - 1));
}

/** A value of any kind of JSON, or what only a text can say. */
export function hostileJsonText(random: Random): unknown {
  const kind = random();
  if (kind < 0.8) return hostileJson(random);
  if (kind < 0.92) return new JsonText(pick(random, TEXTS_OF_NUMBERS));
  const depth = pick(random, [50, 300, 5000]);
  const [open, close] = pick(random, [["[", "]"] as const, ['{"a":', "}"] as const]);
  return new JsonText(`${open.repeat(depth)}1${close.repeat(depth)}`);
}

/** A value of any kind of the language. */
export function hostileValue(random: Random): unknown {
  if (random() < 0.7) return hostileJson(random);
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  let deep: unknown = [];
  for (let depth = 0; depth < 20_000; depth++) deep = [deep];
  return pick<unknown>(random, [
    undefined,
    Number.NaN,
    Infinity,
    -(2n ** 70n),
    5n,
    Symbol("s"),
    () => 1,
    new Date(0),
    new Date(Number.NaN),
    new Map([["a", 1]]),
    new Uint8Array(3),
    Object.create(null),
    Promise.resolve(1),
    /x/,
    circle,
    deep,
    new AbortController().signal,
  ]);
}
