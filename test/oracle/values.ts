import * as fc from "fast-check";

import type { Json } from "./json.ts";

// Small pools, so that values collide, tie and match often.

export const NUMBERS: readonly number[] = [
  0,
  1,
  -1,
  2,
  10,
  0.1,
  0.2,
  0.3,
  0.30000000000000004,
  0.5,
  1 / 3,
  1e-7,
  1e21,
];

const BIG_INTEGERS: readonly bigint[] = [
  9007199254740992n,
  9007199254740993n,
  9007199254740994n,
  -9007199254740993n,
  12345678901234567890n,
];

export const NUMBER_TEXTS: readonly string[] = [
  "1",
  "0.5",
  "1e2",
  "+2",
  ".5",
  "3.",
  "-0.1",
  "9007199254740993",
];

export const TEXTS: readonly string[] = [
  "",
  "a",
  "A",
  "ab",
  "good",
  "true",
  "false",
  " 1",
  "1 ",
  "inf",
  "NaN",
  "0x10",
  "1_000",
  "1e400",
  "é",
  "ÉCOLE",
  "\uFFFD",
  "\u{1F600}",
  'q"\\\n',
  "%_",
  "it's",
];

export const KEYS: readonly string[] = [
  "acc",
  "judge",
  "a.b",
  "a",
  "b",
  "0",
  "10",
  "2",
  "01",
  "é",
  "__proto__",
  "constructor",
  "",
  "*",
  "$.x",
  "/s",
  "q\"'",
  "[0]",
];

export const number: fc.Arbitrary<number> = fc.constantFrom(...NUMBERS);
export const text: fc.Arbitrary<string> = fc.constantFrom(...TEXTS, ...NUMBER_TEXTS);

const key = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("acc", "judge", "a", "b") },
  { weight: 2, arbitrary: fc.constantFrom(...KEYS) },
);

export const scalar: fc.Arbitrary<Json> = fc.oneof(
  { weight: 5, arbitrary: number },
  { weight: 3, arbitrary: fc.boolean() },
  { weight: 2, arbitrary: text },
  { weight: 1, arbitrary: fc.constantFrom<Json>(...BIG_INTEGERS, -0, null) },
);

// The first two names nearly always, so that fields mostly lead somewhere.
export function objectOf(value: fc.Arbitrary<Json>, usual: readonly [string, string]): fc.Arbitrary<Json> {
  const often = fc.option(value, { nil: undefined, freq: 6 });
  const rest = fc.array(fc.tuple(key, value), { maxLength: 2 });
  return fc.tuple(often, often, rest).map(([first, second, others]) => {
    const members = new Map<string, Json>();
    if (first !== undefined) members.set(usual[0], first);
    if (second !== undefined) members.set(usual[1], second);
    for (const [name, inner] of others) members.set(name, inner);
    return members;
  });
}

export function json(depth: number): fc.Arbitrary<Json> {
  if (depth === 0) return scalar;
  const inner = json(depth - 1);
  return fc.oneof(
    { weight: 6, arbitrary: scalar },
    { weight: 2, arbitrary: objectOf(inner, ["a", "b"]) },
    { weight: 1, arbitrary: fc.array(inner, { maxLength: 3 }) },
  );
}
