import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson, writeJson, type Json } from "../../../src/model/json.ts";
import { readPacked, type PackedRows } from "../../../src/view/payload/packed-rows.ts";
import {
  encodeObjects,
  type RowObject,
  type RowObjects,
  type TrialObject,
} from "../../support/payload-rows.ts";
import { anyCharacter } from "../../support/any-character.ts";

const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0 || 0),
  fc.integer({ min: 0, max: 10 }).map((tenths) => tenths / 10),
);
const json = fc.jsonValue() as fc.Arbitrary<Json>;
const score = fc.oneof(number, fc.boolean(), fc.constantFrom(null, undefined));

const trial = (dimensions: number): fc.Arbitrary<TrialObject> =>
  fc.record(
    {
      scores: fc.array(score, { minLength: dimensions, maxLength: dimensions }),
      output: json,
      latency: fc.option(number),
      tokens: fc.option(fc.nat()),
      error: fc.option(fc.string({ unit: anyCharacter })),
      texts: fc.array(fc.tuple(fc.string(), fc.string()), { minLength: 1 }),
    },
    { requiredKeys: ["scores", "output", "latency", "tokens", "error"] },
  );

const rows = fc
  .tuple(fc.uniqueArray(fc.string(), { maxLength: 4 }), fc.uniqueArray(fc.string(), { maxLength: 3 }))
  .chain(([evaluations, names]) =>
    fc.record({
      evaluations: fc.constant(evaluations),
      dimensions: fc.constant(names),
      rows: fc.array(
        fc.record({
          digest: fc.string({ unit: anyCharacter }),
          input: json,
          trials: fc.array(fc.array(trial(names.length), { maxLength: 3 }), {
            minLength: evaluations.length,
            maxLength: evaluations.length,
          }),
        }),
        { maxLength: 6 },
      ),
      left: fc.constant({
        outputs: "all-there" as const,
        inputs: "whole" as const,
        rowsNotHere: 0,
      }),
    }),
  );

function read(packed: PackedRows): Omit<RowObjects, "left"> {
  const { evaluations, dimensions, rowCount } = packed.header;
  const columns = evaluations.length;
  return {
    evaluations,
    dimensions,
    rows: Array.from({ length: rowCount }, (_, row): RowObject => ({
      digest: packed.columns.digests()[row] ?? "",
      input: parsed(packed.input(row)),
      trials: evaluations.map((__, evaluation) => {
        const from = packed.starts[row * columns + evaluation] ?? 0;
        const to = packed.starts[row * columns + evaluation + 1] ?? 0;
        return Array.from({ length: to - from }, (___, i) => readTrial(packed, from + i));
      }),
    })),
  };
}

function readTrial(packed: PackedRows, place: number): TrialObject {
  const { columns, dimensions } = packed;
  const output = parsed(packed.output(place));
  const texts = columns.texts()[place] ?? null;
  return {
    scores: dimensions.map((column) => {
      const value = column()[place];
      return value === "" ? undefined : value;
    }),
    latency: columns.latency()[place] ?? null,
    tokens: columns.tokens()[place] ?? null,
    error: columns.errors()[place] ?? null,
    ...(output === undefined ? {} : { output }),
    ...(texts === null ? {} : { texts }),
  };
}

function parsed(text: string | undefined): Json | undefined {
  return text === undefined ? undefined : parseJson(text);
}

describe("the rows of a report", () => {
  it("are read as they were written", async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (written) => {
        const { left, ...readable } = written;
        const packed = await readPacked(await encodeObjects(written));
        expect(packed.left).toEqual(left);
        expect(parseJson(writeJson(scoresAsTexts(read(packed))))).toEqual(
          parseJson(writeJson(scoresAsTexts(readable))),
        );
      }),
      { numRuns: 40 },
    );
  });

  it("are the same text when written twice", async () => {
    const [one] = fc.sample(rows, { seed: 7, numRuns: 1 });
    if (one === undefined) throw new Error("no sample");
    expect(await encodeObjects(one)).toBe(await encodeObjects(one));
  });

  it("are read where they are longer than what is compressed at once", async () => {
    const random = fc.sample(fc.string({ minLength: 900, maxLength: 1000 }), { seed: 3, numRuns: 2500 });
    const packed = await readPacked(
      await encodeObjects({
        evaluations: [],
        dimensions: [],
        rows: random.map((digest) => ({ digest, input: undefined, trials: [] })),
        left: { outputs: "none", inputs: "none", rowsNotHere: 0 },
      }),
    );
    expect(packed.columns.digests()).toEqual(random);
  });
});

/** A list in JSON has null for undefined; here they are told apart. */
function scoresAsTexts({ rows: all, ...rest }: Omit<RowObjects, "left">) {
  return { ...rest, rows: all.map((row) => ({ ...row, trials: trialsAsTexts(row) })) };
}

function trialsAsTexts(row: RowObject) {
  return row.trials.map((group) => group.map((one) => ({ ...one, scores: one.scores.map(String) })));
}
