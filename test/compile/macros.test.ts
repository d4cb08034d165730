import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exactMean, exactMethod } from "../../src/compile/sums/exact-mean.ts";
import { bitRange, readTextNumber } from "../../src/model/numbers.ts";
import { sql, statement } from "../../src/store/sql.ts";
import { doubleLiteral, macroDatabase, textLiteral } from "../support/macros.ts";
import { anyFinite } from "../support/numbers.ts";

const SEED = Number(process.env["SEED"] ?? 303);

/** Each value of a list through one expression over `x`. */
async function through(expression: string, values: readonly string[]): Promise<unknown[]> {
  const query = await macroDatabase();
  const rows = await query(`SELECT ${expression} FROM (SELECT unnest([${values.join()}]) AS x)`);
  return rows.map(([value]) => value);
}

describe(`numbers as text (SEED=${SEED})`, () => {
  it("are spelled as String does", async () => {
    const numbers = fc.sample(anyFinite, { seed: SEED, numRuns: 20_000 });
    const texts = await through("number_text(x)", numbers.map(doubleLiteral));
    expect(texts.filter((text, i) => text !== String(numbers[i]))).toEqual([]);
  });

  it("are spelled so in JSON too, integers with all their digits", async () => {
    const numbers = fc.sample(anyFinite, { seed: SEED, numRuns: 5000 });
    const texts = await through(
      "json_text(x::JSON)",
      numbers.map((number) => textLiteral(JSON.stringify(number))),
    );
    expect(texts.filter((text, i) => text !== String(numbers[i]))).toEqual([]);
    const long = ["12345678901234567890", "-9007199254740993", "123456789012345678901234567890"];
    expect(await through("json_text(x::JSON)", long.map(textLiteral))).toEqual(long);
  });
});

describe(`texts as numbers (SEED=${SEED})`, () => {
  const piece = fc.constantFrom(
    "0",
    "7",
    "12",
    ".",
    "e",
    "E",
    "+",
    "-",
    " ",
    "_",
    "x",
    "inf",
    "nan",
    "\n",
    "٣",
    "e5",
    "1e308",
    "1e-400",
  );
  const spelling = fc.oneof(
    fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join("")),
    anyFinite.map(String),
    fc.string({ maxLength: 6 }),
  );

  it("are read as the writer of score leaves reads them", async () => {
    const texts = fc.sample(spelling, { seed: SEED, numRuns: 20_000 }).filter((text) => !text.includes("\0"));
    const numbers = await through("text_number(x)", texts.map(textLiteral));
    const wrong = texts.filter(
      (text, i) => !Object.is(numbers[i], readTextNumber(text)) && readTextNumber(text) !== 0,
    );
    expect(wrong).toEqual([]);
  });
});

/** The mean of doubles by arithmetic on integers: all are whole multiples of 2^-1074. */
function rationalMean(numbers: readonly number[]): number {
  let total = 0n;
  for (const number of numbers) {
    if (number === 0) continue;
    const { low } = bitRange(number);
    const odd = number / 2 ** Math.max(low, -1022) / 2 ** Math.min(low + 1022, 0);
    total += BigInt(odd) << BigInt(low + 1074);
  }
  return ratio((total << 160n) / BigInt(numbers.length), 1074n + 160n);
}

/** `numerator / 2^exponent`, for numerators that a double cannot hold. */
function ratio(numerator: bigint, exponent: bigint): number {
  const bits = BigInt(numerator.toString(2).length);
  const drop = bits > 80n ? bits - 80n : 0n;
  const shift = Number(drop - exponent);
  const half = Math.trunc(shift / 2);
  return Number(numerator >> drop) * 2 ** half * 2 ** (shift - half);
}

describe(`means (SEED=${SEED})`, () => {
  const scale = fc.constantFrom(1, 1e-300, 1e300, 2 ** 40, 1e-5);
  const wide = fc.constantFrom(1, 10, 1e6, 1e12, 1e20, 1e40);
  const lists = fc.tuple(scale, wide).chain(([unit, width]) =>
    fc.array(
      fc.oneof(
        fc.double({ min: -1, max: 1, noNaN: true }).map((x) => x * unit),
        fc.double({ min: -1, max: 1, noNaN: true }).map((x) => (x * unit) / width),
        fc.integer({ min: -5, max: 5 }).map((x) => (x * unit) / 4),
      ),
      { minLength: 1, maxLength: 12 },
    ),
  );

  it("are as if summed exactly and rounded a few times, in any order", async () => {
    const query = await macroDatabase();
    const samples = fc.sample(lists, { seed: SEED, numRuns: 400 }).map((list) => list.map((x) => x + 0));
    for (const numbers of samples) {
      const bits = numbers.filter((x) => x !== 0).map(bitRange);
      const exponents =
        bits.length === 0
          ? null
          : {
              max: Math.max(...bits.map(({ high }) => high)),
              min: Math.min(...bits.map(({ high }) => high)),
              lowBit: Math.min(...bits.map(({ low }) => low)),
            };
      const method = exactMethod(exponents);
      const mean = statement(exactMean(sql`x`, method)).sql;
      const [forward, backward] = [numbers, numbers.toReversed()].map((list) =>
        list.map(doubleLiteral).join(),
      );
      const rows = await query(
        `SELECT (SELECT ${mean} FROM (SELECT unnest([${forward}]) AS x)), (SELECT ${mean} FROM (SELECT unnest([${backward}]) AS x))`,
      );
      const [one, other] = rows[0] ?? [];
      const magnitude = numbers.reduce((sum, x) => sum + Math.abs(x) / numbers.length, 0);
      expect(one).toBe(other);
      expect(
        Math.abs(Number(one) - rationalMean(numbers)),
        JSON.stringify({ numbers, method }),
      ).toBeLessThanOrEqual((method.kind === "ordered" ? 1e-12 : 1e-15) * magnitude);
    }
  });
});
