import { createHash } from "node:crypto";
import fc from "fast-check";
import stringify from "fast-json-stable-stringify";
import { describe, expect, it } from "vitest";
import { canonicalJson, rowDigest } from "../../src/model/digest.ts";
import { compactJson, isFragile, parseJson, writeJson } from "../../src/model/json.ts";
import { memberTexts } from "../../src/model/member-texts.ts";
import { anyCharacter } from "../support/any-character.ts";

const SEED = Number(process.env["SEED"] ?? 303);
const RUNS = { seed: SEED, numRuns: 1000 };

const anyText = fc.string({ unit: anyCharacter, maxLength: 12 });
const key = fc.oneof(
  anyText,
  fc.constantFrom("__proto__", "constructor", "toString", "1", "01", "-1", "", "length"),
);
/** Any value that `JSON.parse` gives. */
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(
      anyText,
      fc.constantFrom(null, true, false),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    ),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map(Object.fromEntries),
  ),
})).value;
const anyJson = json.map((value) => JSON.parse(JSON.stringify(value)) as unknown);

/** The same value with blanks between all its tokens, and `\u` escapes for all letters of texts. */
function spelledOut(value: unknown, escape: boolean): string {
  if (typeof value === "string" && escape) {
    const units = Array.from({ length: value.length }, (_, i) =>
      value.charCodeAt(i).toString(16).padStart(4, "0"),
    );
    return `"${units.map((unit) => `\\u${unit}`).join("")}"`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[ ${value.map((item) => spelledOut(item, escape)).join(" ,\t")}\n]`;
  const members = Object.entries(value).map(
    ([name, member]) => `${spelledOut(name, escape)} :\r\n${spelledOut(member, escape)}`,
  );
  return `{\t${members.join(" , ")} }`;
}

function lists(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

/** The value as `JSON.parse` has it, which knows no bigint. */
function asDoubles(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(asDoubles);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asDoubles(member)]));
}

describe(`JSON (SEED=${SEED})`, () => {
  it("is parsed as JSON.parse does", () => {
    fc.assert(
      fc.property(anyJson, fc.boolean(), (value, escape) => {
        expect(asDoubles(parseJson(spelledOut(value, escape)))).toEqual(value);
        expect(asDoubles(parseJson(`[${JSON.stringify(value)}, 1234567890123456]`))).toEqual([
          value,
          1234567890123456,
        ]);
      }),
      RUNS,
    );
  });

  it("is compacted as JSON.stringify would after JSON.parse, but for members whose names are numbers", () => {
    const named = (value: unknown): boolean =>
      typeof value === "object" &&
      value !== null &&
      Object.entries(value).some(
        ([name, member]) => (!Array.isArray(value) && /^\d+$/.test(name)) || named(member),
      );
    fc.assert(
      fc.property(anyJson, fc.boolean(), (value, escape) => {
        fc.pre(!named(value));
        expect(compactJson(spelledOut(value, escape))).toBe(JSON.stringify(value));
      }),
      RUNS,
    );
  });

  it("keeps the order of members whatever their names, and of repeated ones the last value", () => {
    expect(compactJson('{"b":1,"10":2,"2":3,"a":4}')).toBe('{"b":1,"10":2,"2":3,"a":4}');
    expect(compactJson('{"a":1,"b":2,"a":3}')).toBe('{"a":3,"b":2}');
    expect(parseJson('{"a":1,"n":12345678901234567890,"a":3}')).toEqual({ a: 3, n: 12345678901234567890n });
  });

  it("keeps integers digit for digit, and other numbers in their shortest form", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), (n) => {
        expect(compactJson(` [ ${n} ] `)).toBe(`[${n}]`);
        const small = BigInt(Number(n)) === n && Number.isSafeInteger(Number(n));
        expect(parseJson(`{"n":${n}}`)).toEqual({ n: small ? Number(n) : n });
      }),
      RUNS,
    );
    expect(compactJson("[1.50, 1e2, -0, -0.0, 1E400, 0.1e-5, 100000000000000000000.0]")).toBe(
      "[1.5,100,0,0,1E400,0.000001,100000000000000000000]",
    );
  });

  it("turns lone surrogates into U+FFFD, in names too", () => {
    expect(compactJson('{"\\ud800x":"a\\udc00","ok":"\\ud83d\\ude00"}')).toBe(
      '{"\uFFFDx":"a\uFFFD","ok":"😀"}',
    );
    expect(writeJson({ "\ud800x": "a\udc00" })).toBe('{"\uFFFDx":"a\uFFFD"}');
  });

  it("is fragile whenever JSON.stringify after JSON.parse would spoil it", () => {
    fc.assert(
      fc.property(anyJson, fc.boolean(), (value, escape) => {
        const text = spelledOut(value, escape);
        const plain = JSON.stringify(JSON.parse(text));
        expect(isFragile(JSON.parse(text), text) || compactJson(text) === plain).toBe(true);
      }),
      RUNS,
    );
    for (const text of [
      '{"n":12345678901234567}',
      "[1e999]",
      '{"a":1,"7":2}',
      '["\\uD800"]',
      "[-9007199254740993]",
    ]) {
      expect(isFragile(JSON.parse(text), text), text).toBe(true);
    }
  });

  it("is written from values as JSON.stringify does, with bigint values besides", () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(writeJson(value)).toBe(JSON.stringify(value));
      }),
      RUNS,
    );
    expect(writeJson({ n: 2n ** 70n, d: new Date(0), u: undefined, l: [undefined] })).toBe(
      '{"n":1180591620717411303424,"d":"1970-01-01T00:00:00.000Z","l":[null]}',
    );
  });

  it("objects are cut into the texts of their members", () => {
    const object = fc.array(fc.tuple(key, anyJson), { maxLength: 5 }).map(Object.fromEntries) as fc.Arbitrary<
      Record<string, unknown>
    >;
    fc.assert(
      fc.property(object, fc.boolean(), (value, escape) => {
        const plain = JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
        const texts = memberTexts(spelledOut(plain, escape));
        expect([...texts.keys()]).toEqual(Object.keys(plain));
        expect([...texts.values()].map((text) => JSON.parse(text) as unknown)).toEqual(Object.values(plain));
        expect([...texts.values()].every((text) => text === text.trim())).toBe(true);
      }),
      RUNS,
    );
  });

  it.each(["", "{", "[1,]", "{'a':1}", '{"a"}', "[1 2]", "nul", "01", "1.", '"\n"'])("refuses %j", (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
    expect(() => parseJson(`[1234567890123456789,${text}`)).toThrow(SyntaxError);
  });

  it("is refused beyond a thousand levels, brackets within texts not counted", () => {
    expect(compactJson(lists(1000))).toBe(lists(1000));
    expect(isFragile(JSON.parse(lists(1000)), lists(1000))).toBe(false);
    for (const text of [lists(1100), lists(5000)]) {
      expect(() => compactJson(text)).toThrow(RangeError);
      expect(() => isFragile(JSON.parse(text), text)).toThrow(RangeError);
    }
    const brackets = JSON.stringify(["[".repeat(5000), '"{'.repeat(5000)]);
    expect(compactJson(brackets)).toBe(brackets);
  });
});

describe(`the digest of a row (SEED=${SEED})`, () => {
  it("is that of fast-json-stable-stringify", () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const text = stringify(value);
        expect(canonicalJson(parseJson(JSON.stringify(value)))).toBe(text);
        expect(rowDigest(parseJson(JSON.stringify(value)))).toBe(
          createHash("sha256").update(text).digest("base64url"),
        );
      }),
      RUNS,
    );
  });

  it("tells long integers apart, and takes no notice of the order of members", () => {
    expect(rowDigest(2n ** 64n)).not.toBe(rowDigest(2n ** 64n + 1n));
    expect(rowDigest({ b: 1, a: "x" })).toBe(rowDigest({ a: "x", b: 1 }));
    expect(rowDigest({ "\ue000": 1, "\ud83d\ude00": 2 })).toBe(
      createHash("sha256").update('{"😀":2,"\ue000":1}').digest("base64url"),
    );
    expect(rowDigest(null)).toBe("dCNOmK_nSY-12vHzasLXiswzlGT5UHA7jAGYkvmCuQs");
    expect(rowDigest("hello")).toHaveLength(43);
  });
});
