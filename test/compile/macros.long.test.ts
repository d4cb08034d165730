import { DUCKDB } from "../../src/duckdb/dialect/dialect.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exactMean, exactMethod } from "../../src/compile/sums/exact-mean.ts";
import { exactSum } from "../../src/duckdb/dialect/exact-sum.ts";
import { bitRange, readTextNumber } from "../../src/model/numbers.ts";
import { sql, statement } from "../../src/store/sql.ts";
import { roundedSum } from "../oracle/mean.ts";
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

  it("are exact sums, rounded once and divided, in any order", async () => {
    const query = await macroDatabase();
    const samples = fc.sample(lists, { seed: SEED, numRuns: 150 }).map((list) => list.map((x) => x + 0));
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
      const mean = statement(exactMean(sql`x`, method), DUCKDB).sql;
      const [forward, backward] = [numbers, numbers.toReversed()].map((list) =>
        list.map(doubleLiteral).join(),
      );
      const rows = await query(
        `SELECT (SELECT ${mean} FROM (SELECT unnest([${forward}]) AS x)), (SELECT ${mean} FROM (SELECT unnest([${backward}]) AS x))`,
      );
      const [one, other] = rows[0] ?? [];
      expect(one).toBe(other);
      expect(one, JSON.stringify({ numbers, method })).toBe(roundedSum(numbers) / numbers.length);
    }
  });
});

describe(`sums of any doubles (SEED=${SEED})`, () => {
  const power = fc
    .tuple(fc.integer({ min: -1074, max: 1000 }), fc.boolean())
    .map(([e, sign]) => 2 ** e * (sign ? 1 : -1));
  const near = fc.double({ min: -1, max: 1, noNaN: true });
  const lists = fc.oneof(anyFinite, power, near).chain((first) =>
    fc
      .array(fc.oneof(anyFinite, power, near, fc.constant(first)), { minLength: 1, maxLength: 7 })
      .map((rest) => [
        first,
        ...rest,
        // What cancels leaves what is small beside it.
        ...rest.slice(0, 3).map((number) => -number),
      ]),
  );
  const chosen = [
    [1e100, 1, -1e100],
    [2 ** 53, 1, 2 ** -1000],
    [2 ** 53, 1, -(2 ** -1000)],
    [-(2 ** 53), -1, 2 ** -1000],
    [-(2 ** 53), -1, -(2 ** -1000)],
    [0, 0, -0],
    [5e-324, 5e-324, -5e-324],
    [1, -1, -5e-324],
    Array.from({ length: 1000 }, (_, i) => 0.1 * i),
  ];

  it("are exact and rounded once", async () => {
    const query = await macroDatabase();
    const samples = [...fc.sample(lists, { seed: SEED, numRuns: 800 }), ...chosen].filter((list) =>
      Number.isFinite(roundedSum(list)),
    );
    const sum = statement(exactSum(sql`x`), DUCKDB).sql;
    const records = samples.flatMap((list, i) => list.map((number) => `(${i}, ${doubleLiteral(number)})`));
    const found = await query(
      `SELECT ${sum} FROM (VALUES ${records.join()}) AS t(i, x) GROUP BY i ORDER BY i`,
    );
    const wrong = samples.filter((list, i) => found[i]?.[0] !== roundedSum(list));
    expect(wrong).toEqual([]);
  });

  it("of no number are null", async () => {
    const query = await macroDatabase();
    const sum = statement(exactSum(sql`x`), DUCKDB).sql;
    expect(await query(`SELECT ${sum} FROM (SELECT NULL::DOUBLE AS x)`)).toEqual([[null]]);
  });

  it("become the double nearest to a sum of words", async () => {
    const integers = fc.sample(
      fc.tuple(
        fc.bigInt({ min: -(2n ** 54n), max: 2n ** 54n }),
        fc.integer({ min: 0, max: 72 }),
        fc.integer({ min: -1, max: 1 }),
      ),
      { seed: SEED, numRuns: 5000 },
    );
    const words = integers.map(([word, shift, beside]) => (word << BigInt(shift)) + BigInt(beside));
    const found = await through(
      "nearest_double(x)",
      words.map((word) => `${word}::HUGEINT`),
    );
    expect(words.filter((word, i) => found[i] !== Number(word))).toEqual([]);
  });
});
