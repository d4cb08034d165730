import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson, writeJson, type Json } from "../../../src/model/json.ts";
import { decodeRows, type PackedRows } from "../../../src/view/payload/decode.ts";
import {
  encodeObjects,
  type RowObject,
  type RowObjects,
  type TrialObject,
} from "../../support/payload-rows.ts";

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
      error: fc.option(fc.string({ unit: "binary" })),
      texts: fc.dictionary(fc.string(), fc.string()),
    },
    { requiredKeys: ["scores", "latency", "tokens", "error"] },
  );

const rows = fc
  .tuple(fc.uniqueArray(fc.string(), { maxLength: 4 }), fc.uniqueArray(fc.string(), { maxLength: 3 }))
  .chain(([evaluations, names]) =>
    fc.record({
      evaluations: fc.constant(evaluations),
      dimensions: fc.constant(names.map((name) => ({ name, binary: false }))),
      rows: fc.array(
        fc.record({
          digest: fc.string({ unit: "binary" }),
          input: fc.option(json, { nil: undefined }),
          trials: fc.array(fc.array(trial(names.length), { maxLength: 3 }), {
            minLength: evaluations.length,
            maxLength: evaluations.length,
          }),
        }),
        { maxLength: 6 },
      ),
      left: fc.constant({
        outputs: "some" as const,
        inputs: "whole" as const,
        digests: "whole" as const,
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
      digest: packed.digests()[row] ?? "",
      input: parsed(packed.inputs(row)),
      trials: evaluations.map((__, evaluation) => {
        const from = packed.starts[row * columns + evaluation] ?? 0;
        const to = packed.starts[row * columns + evaluation + 1] ?? 0;
        return Array.from({ length: to - from }, (___, i) => readTrial(packed, from + i));
      }),
    })),
  };
}

function readTrial(packed: PackedRows, place: number): TrialObject {
  const output = parsed(packed.outputs(place));
  const texts = parsed(packed.texts(place));
  return {
    scores: packed.dimensions.map((column) => readScore(column, place)),
    latency: readScore(packed.latency, place) as number | null,
    tokens: readScore(packed.tokens, place) as number | null,
    error: (parsed(packed.errors(place)) ?? null) as string | null,
    ...(output === undefined ? {} : { output }),
    ...(texts === undefined ? {} : { texts: texts as { [name: string]: string } }),
  };
}

/** A value, which is read alone as it stands among all. */
function readScore(column: PackedRows["latency"], place: number) {
  const value = column.at(place);
  expect(column.numbers()[place]).toBe(value == null ? Number.NaN : Number(value));
  return value;
}

function parsed(text: string | undefined): Json | undefined {
  return text === undefined ? undefined : parseJson(text);
}

describe("the rows of a report", () => {
  it("are read as they were written", async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (written) => {
        const { left, ...readable } = written;
        const packed = await decodeRows(await encodeObjects(written));
        expect(packed.header.left).toEqual(left);
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

  it("are longer than one piece of base64 where there is much to say", async () => {
    const random = fc.sample(fc.string({ minLength: 900, maxLength: 1000 }), { seed: 3, numRuns: 2500 });
    const packed = await decodeRows(
      await encodeObjects({
        evaluations: [],
        dimensions: [],
        rows: random.map((digest) => ({ digest, input: undefined, trials: [] })),
        left: { outputs: "none", inputs: "none", digests: "whole", rowsNotHere: 0 },
      }),
    );
    expect(packed.digests()).toEqual(random);
  });
});

/** A list in JSON has null for undefined; here they are told apart. */
function scoresAsTexts({ rows: all, ...rest }: Omit<RowObjects, "left">) {
  return { ...rest, rows: all.map((row) => ({ ...row, trials: trialsAsTexts(row) })) };
}

function trialsAsTexts(row: RowObject) {
  return row.trials.map((group) => group.map((one) => ({ ...one, scores: one.scores.map(String) })));
}
