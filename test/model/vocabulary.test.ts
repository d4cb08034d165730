import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseFieldPath } from "../../src/model/field-path.ts";
import { bitRange, readTextNumber } from "../../src/model/numbers.ts";
import { operationName, parseReference, referencedRowDigest } from "../../src/model/references.ts";
import { formatTimestamp, parseTimestamp } from "../../src/model/timestamp.ts";
import { anyFinite } from "../support/numbers.ts";

const SEED = Number(process.env["SEED"] ?? 303);
const RUNS = { seed: SEED, numRuns: 1000 };

function two(n: number): string {
  return String(n).padStart(2, "0");
}

describe(`a time (SEED=${SEED})`, () => {
  const offset = fc.record({ sign: fc.constantFrom("+", "-"), hours: fc.nat(23), minutes: fc.nat(59) });

  it("is read as Date reads it, to the microsecond", () => {
    const date = fc.date({ min: new Date("0001-01-02"), max: new Date("9999-12-30"), noInvalidDate: true });
    fc.assert(
      fc.property(
        date,
        offset,
        fc.nat(999),
        fc.boolean(),
        (moment, { sign, hours, minutes }, micro, colon) => {
          const local = `${moment.toISOString().slice(0, -1)}${String(micro).padStart(3, "0")}`;
          const suffix = `${sign}${two(hours)}${colon ? ":" : ""}${two(minutes)}`;
          const shift = (sign === "-" ? 1 : -1) * (hours * 60 + minutes) * 60_000;
          expect(parseTimestamp(`${local}${suffix}`)).toBe(
            BigInt(moment.getTime() + shift) * 1000n + BigInt(micro),
          );
        },
      ),
      RUNS,
    );
  });

  it("comes back as it was, in UTC with six digits", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -62_135_596_800_000_000n, max: 253_402_300_799_999_999n }),
        (microseconds) => {
          const text = formatTimestamp(microseconds);
          expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
          expect(parseTimestamp(text)).toBe(microseconds);
        },
      ),
      RUNS,
    );
  });

  it.each([
    ["2026-01-31t12:00:00z", 1_769_860_800_000_000n],
    ["2026-01-31 12:00:00,5Z", 1_769_860_800_500_000n],
    ["2026-01-31T12:00:00.1234567899Z", null],
    ["2026-01-31T12:00:00.123456789Z", 1_769_860_800_123_456n],
    ["2026-01-31T12:00Z", 1_769_860_800_000_000n],
    ["2024-02-29T00:00:00Z", 1_709_164_800_000_000n],
    ["2026-02-29T00:00:00Z", null],
    ["1900-02-29T00:00:00Z", null],
    ["2026-13-01T00:00:00Z", null],
    ["2026-00-01T00:00:00Z", null],
    ["2026-01-00T00:00:00Z", null],
    ["2026-01-01T24:00:00Z", null],
    ["2026-01-01T00:60:00Z", null],
    ["2026-01-01T00:00:00", null],
    ["2026-01-01", null],
    [" 2026-01-01T00:00:00Z", null],
    ["2026-01-01T00:00:00+24:00", null],
  ])("%s is read as %s", (text, microseconds) => {
    expect(parseTimestamp(text)).toBe(microseconds);
  });
});

/** The binary exponents of the highest and lowest bit set, by arithmetic on integers. */
function exactBits(number: number): { high: number; low: number } {
  let [scaled, shift] = [Math.abs(number), 0];
  while (!Number.isInteger(scaled)) [scaled, shift] = [scaled * 2, shift - 1];
  let integer = BigInt(scaled);
  while (integer % 2n === 0n) [integer, shift] = [integer / 2n, shift + 1];
  return { high: integer.toString(2).length - 1 + shift, low: shift };
}

describe(`a number (SEED=${SEED})`, () => {
  it("has the bits that integer arithmetic finds", () => {
    fc.assert(
      fc.property(anyFinite, (number) => {
        fc.pre(number !== 0);
        expect(bitRange(number)).toEqual(exactBits(number));
      }),
      RUNS,
    );
  });

  it.each([
    ["1", 1],
    ["+1", 1],
    ["-.5", -0.5],
    ["5.", 5],
    ["1e3", 1000],
    ["1E-3", null],
    ["1e-3", 0.001],
    ["007", 7],
    ["", null],
    [" 1", null],
    ["1 ", null],
    [".", null],
    ["e5", null],
    ["1e", null],
    ["0x10", null],
    ["1_000", null],
    ["inf", null],
    ["NaN", null],
    ["1e999", null],
    ["١", null],
    ["1\n", null],
  ])("is read from the text %j as %s", (text, number) => {
    expect(readTextNumber(text)).toBe(number);
  });
});

describe("a field", () => {
  it.each([
    ["scores.a", "scores", ["a"]],
    ["scores.a\\.b.c", "scores", ["a.b", "c"]],
    ["inputs.0.x", "inputs", ["0", "x"]],
    ["outputs.a..b", "outputs", ["a", "", "b"]],
    ["output.\\", "output", ["\\"]],
    ["row_digest", "row_digest", []],
  ])("%s is split", (text, root, segments) => {
    expect(parseFieldPath(text)).toEqual({ root, segments });
  });

  it.each(["", "scores", "scores.", "row_digest.x", "Scores.a", "input.a", "scores\\.a", "$scores.a"])(
    "%j is none",
    (text) => {
      expect(parseFieldPath(text)).toHaveProperty("error");
    },
  );
});

describe("a reference", () => {
  it.each([
    [
      "svc:///a/b/object/n:d",
      { scheme: "svc", projectId: "a/b", kind: "object", name: "n", digest: "d", path: "" },
    ],
    [
      "weave:///a/b/object/n:d/attr/x",
      { scheme: "weave", projectId: "a/b", kind: "object", name: "n", digest: "d", path: "/attr/x" },
    ],
    [
      "svc:///a/b/op/Some.op:v1",
      { scheme: "svc", projectId: "a/b", kind: "op", name: "Some.op", digest: "v1", path: "" },
    ],
    [
      "svc:///a/b/call/c%20d",
      { scheme: "svc", projectId: "a/b", kind: "call", name: "c%20d", digest: null, path: "" },
    ],
  ])("%s has parts", (text, parts) => {
    expect(parseReference(text)).toEqual(parts);
  });

  it.each([
    "",
    "svc://a/b/object/n:d",
    "svc:///a/object/n:d",
    "svc:///a/b/object/n",
    "svc:///a/b/op/n:d/x",
    "svc:///a/b/call/",
    "svc:///a/b/thing/n:d",
    "1svc:///a/b/call/c",
  ])("%j is none", (text) => {
    expect(parseReference(text)).toBeNull();
  });

  it("to an op gives its name, and anything else stands for itself", () => {
    expect(operationName("svc:///a/b/op/Evaluation.predict_and_score:v")).toBe(
      "Evaluation.predict_and_score",
    );
    expect(operationName("svc:///a/b/object/n:v")).toBe("svc:///a/b/object/n:v");
    expect(operationName("plain")).toBe("plain");
  });

  it.each([
    ["x/attr/rows/id/d", "d"],
    ["/attr/rows/id/d", null],
    ["x/attr/rows/id/", null],
    ["x/attr/rows/id/d/e", null],
    ["x/attr/rows/id/attr/rows/id/d", null],
    ["plain", null],
  ])("%s to a dataset row has the digest %s", (text, digest) => {
    expect(referencedRowDigest(text)).toBe(digest);
  });
});
