import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { COMPACT, compactJson, writeLongJson } from "../../src/model/json.ts";
import { readJson } from "../../src/model/read-json.ts";
import { CANONICAL, SENT } from "../../src/weave/values/canonical.ts";
import { longValueDigest, tableDigest, valueDigest } from "../../src/weave/values/digests.ts";
import { anyCharacter } from "../support/any-character.ts";

const TABLE: readonly (readonly [input: string, canonical: string, digest: string])[] = [
  ['{"x":1}', '{"x": 1}', "YTYlqmU0Pbsbmr5qusZ3P1yRvWDT8vX34urmnh24sic"],
  ['{"x":1.0}', '{"x": 1.0}', "hXYo5CD9tT04YhwV9Lb3Yn20n4eGfwZO2DFpPCvifmA"],
  ['{"b":1,"a":"x"}', '{"a": "x", "b": 1}', "OFgg8Alv1Vj0CRMZ5Yp0LOv4d9w7rKGAmBiJ8cQOyoQ"],
  [
    '{"q":"é😀\\u007f/"}',
    String.raw`{"q": "\u00e9\ud83d\ude00\u007f/"}`,
    "NACbNO8YnyInUHXbzXzNQ0HsWN8JQrruXwBXsfVNz3Q",
  ],
  [
    "[1e16,1e-5,100000.0,-0.0,-0,123456789012345678901234567890]",
    "[1e+16, 1e-05, 100000.0, -0.0, 0, 123456789012345678901234567890]",
    "PHGDT2wogQkfljUSnEC1vLEVzcbWD7xTCWG0dX3R0lA",
  ],
  [
    '{"\u{1f600}":1,"\uffee":2}',
    String.raw`{"\uffee": 2, "\ud83d\ude00": 1}`,
    "JquySoGpbkPyYb71ZfCLjj8b2RsLoiCj18i1jaqxP7E",
  ],
  ["null", "null", "dCNOmKYnSYX12vHzasLXiswzlGT5UHA7jAGYkvmCuQs"],
];

describe("the digest of a value", () => {
  it.each(TABLE)("of %s is that of %s", (input, canonical, digest) => {
    expect(readJson(input, CANONICAL)).toBe(canonical);
    expect(valueDigest(input)).toBe(digest);
  });

  it("of a table is hexadecimal, also of an empty one", async () => {
    expect(await tableDigest([])).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(await tableDigest(["a", "bc"])).toBe(await tableDigest(["ab", "c"]));
  });

  it.each([
    ["1.5E-7", "1.5e-07"],
    ["0.0001", "0.0001"],
    ["0.00001", "1e-05"],
    ["9999999999999998.0", "9999999999999998.0"],
    ["12345678901234567890.0", "1.2345678901234567e+19"],
    ["1e400", "Infinity"],
    ["-1e400", "-Infinity"],
    ["5e-324", "5e-324"],
    ["1e2", "100.0"],
    [String.raw`"\ud800\u0008\u000b\/"`, String.raw`"\ud800\b\u000b/"`],
    ['{"a":1,"b":2,"a":3}', '{"a": 3, "b": 2}'],
    [" [ ] ", "[]"],
  ])("of %s is made from %s", (input, canonical) => {
    expect(readJson(input, CANONICAL)).toBe(canonical);
  });
});

type Value = null | boolean | bigint | { readonly double: number } | string | Value[] | Map<string, Value>;

/** The value as a sender may spell it. */
function spelled(value: Value): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(spelled).join(" , ")}]`;
  if (value instanceof Map)
    return `{${[...value].map(([name, one]) => `${JSON.stringify(name)}:${spelled(one)}`).join()} }`;
  if (typeof value !== "object" || value === null) return String(value);
  return Object.is(value.double, -0) ? "-0e0" : value.double.toExponential();
}

/** Writes it by the rules, character by character; numbers by their decimal places, not by JavaScript's exponent. */
function written(value: Value): string {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
  if (value instanceof Map) {
    const members = [...value].sort(([a], [b]) => Buffer.compare(bytes(a), bytes(b)));
    return `{${members.map(([name, one]) => `${text(name)}: ${written(one)}`).join(", ")}}`;
  }
  return typeof value === "object" && value !== null ? double(value.double) : String(value);
}

function bytes(name: string): Buffer {
  return Buffer.from(name, "utf8");
}

const SHORT = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\f", "\\f"],
  ["\b", "\\b"],
]);

function text(value: string): string {
  const units = value.split("").map((unit) => {
    const code = unit.charCodeAt(0);
    const isPlain = code >= 0x20 && code <= 0x7e;
    return SHORT.get(unit) ?? (isPlain ? unit : `\\u${(0x10000 + code).toString(16).slice(1)}`);
  });
  return `"${units.join("")}"`;
}

/** JavaScript writes some of Python's positional numbers with an exponent: those below 1e-6. */
function positional(value: number): string {
  const [digits = "", power = "0"] = Math.abs(value).toExponential().split("e-");
  const zeros = "0".repeat(Number(power) - 1);
  return `${value < 0 ? "-" : ""}0.${zeros}${digits.replace(".", "")}`;
}

function double(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  const shortest = String(value);
  const magnitude = Math.abs(value);
  if (value === 0 || (magnitude >= 1e-4 && magnitude < 1e16))
    return shortest.includes("e") ? positional(value) : shortest.includes(".") ? shortest : `${shortest}.0`;
  for (let digits = 0; ; digits++) {
    const exponential = value.toExponential(digits);
    if (Number(exponential) === value) return exponential.replace(/e([+-])(\d)$/, "e$10$2");
  }
}

const { value: anyValue } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    fc.bigInt(-(10n ** 40n), 10n ** 40n),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => ({ double: number })),
    fc.oneof(
      fc.nat(40).map((power) => ({ double: 10 ** (power - 20) })),
      fc.integer().map((n) => ({ double: n / 8 })),
    ),
    fc.string({ unit: anyCharacter }),
    fc.string({ unit: "grapheme" }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.string({ unit: anyCharacter, maxLength: 3 }), tie("value")), { maxLength: 4 })
      .map((members) => new Map(members)),
  ),
}));

describe("the canonical text", () => {
  it("is what the rules say, for whatever value and however it is spelled", () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(readJson(spelled(value), CANONICAL)).toBe(written(value));
      }),
      { numRuns: 3000 },
    );
  });

  it("stays the same when a value is stored as it was sent", () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const sent = readJson(spelled(value), SENT);
        expect(readJson(sent, CANONICAL)).toBe(written(value));
        expect(readJson(sent, SENT)).toBe(sent);
      }),
      { numRuns: 1000 },
    );
  });
});

it.each(["a", "é", "😀", "\\n", "\\ud83d", "\\ud83d\\ude00"])(
  "a long value has the digest and the spellings of a short one's rule: %s",
  async (unit) => {
    const value = `{"before":1.0,"long":["x${unit.repeat(1024 * 1024)}","y"],"after":"${unit}"}`;
    expect(await longValueDigest(value)).toBe(valueDigest(value));
    expect(await writeLongJson(value, SENT)).toBe(readJson(value, SENT));
    expect(await writeLongJson(value, COMPACT)).toBe(compactJson(value));
  },
);
