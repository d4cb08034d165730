import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScorePathEntry } from "../../src/ingest/keys/catalog.ts";
import { columnsOfScores } from "../../src/ingest/write/score-columns.ts";
import {
  addScoreValue,
  clearScoreValues,
  noScoreValues,
  removeScoreValues,
  type ScoreValues,
} from "../../src/ingest/write/score-values.ts";
import { createTurnTaker } from "../../src/model/turns.ts";

const SEED = Number(process.env["SEED"] ?? 412);

const PATHS = [3, 1, 2].map((key): ScorePathEntry => ({
  key,
  projectKey: 1,
  path: `["p${key}"]`,
  leaf: true,
  container: false,
  list: false,
  maxExponent: null,
  minExponent: null,
  lowBit: null,
}));

interface Value {
  readonly path: number;
  readonly kind: number;
  readonly late: boolean;
  readonly number: number | null;
  readonly text: string | null;
}

const value: fc.Arbitrary<Value> = fc.record({
  path: fc.nat(PATHS.length - 1),
  kind: fc.nat(2),
  late: fc.boolean(),
  number: fc.option(fc.double({ noNaN: true })),
  text: fc.option(fc.string()),
});
type Step =
  | { readonly trial: number; readonly values: readonly Value[] }
  | { readonly removed: readonly number[] }
  | "clear";
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ trial: fc.nat(9), values: fc.array(value, { maxLength: 30 }) }) },
  { weight: 3, arbitrary: fc.record({ removed: fc.array(fc.nat(9), { maxLength: 4 }) }) },
  { weight: 1, arbitrary: fc.constant("clear" as const) },
);

type Stored = Value & { readonly trial: number };

async function stored(values: ScoreValues): Promise<unknown[][]> {
  const columns = await columnsOfScores(values, createTurnTaker());
  return Array.from({ length: columns[0]?.values.length ?? 0 }, (_, i) =>
    columns.map((column) => column.values[i]),
  );
}

/** The records as a list of them says: by dimension, then as they came. */
function expected(model: readonly Stored[]): unknown[][] {
  return PATHS.toSorted((a, b) => Number(a.key) - Number(b.key)).flatMap(({ key }) =>
    model
      .filter(({ path }) => PATHS[path]?.key === key)
      .map(({ trial, kind, late, number, text }) => [
        key,
        trial + 100,
        trial + 200,
        trial,
        kind,
        late,
        number,
        text,
      ]),
  );
}

describe("score values that wait to be written", () => {
  it(`are those of a plain list, after each addition, removal and write (SEED=${SEED})`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const values = noScoreValues();
        let model: Stored[] = [];
        for (const one of steps) {
          if (one === "clear") {
            clearScoreValues(values);
            model = [];
          } else if ("removed" in one) {
            const removed = new Set(one.removed);
            removeScoreValues(values, removed);
            model = model.filter(({ trial }) => !removed.has(trial));
          } else {
            const { trial } = one;
            const keys = { evaluation: trial + 100, row: trial + 200, trial };
            for (const { path, kind, late, number, text } of one.values) {
              const entry = PATHS[path];
              if (entry !== undefined)
                addScoreValue(values, entry, { trial: keys, late }, { kind, number, text });
            }
            model.push(...one.values.map((each) => ({ ...each, trial })));
          }
          expect(await stored(values)).toEqual(expected(model));
        }
      }),
      { seed: SEED, numRuns: 200 },
    );
  });

  it("hold nothing of trials whose values are removed again and again, nor of dimensions that have few", () => {
    const values = noScoreValues();
    const [often, seldom] = PATHS;
    if (often === undefined || seldom === undefined) throw new Error("no dimensions");
    const add = (trial: number, path: ScorePathEntry) =>
      addScoreValue(
        values,
        path,
        { trial: { evaluation: 1, row: trial, trial }, late: false },
        { kind: 1, number: trial, text: null },
      );
    for (let round = 0; round < 50; round++) {
      removeScoreValues(values, new Set([1, 2, 3]));
      for (const trial of [1, 2, 3]) add(trial, often);
    }
    expect(values.trials).toHaveLength(3);
    for (let trial = 10; trial < 1000; trial++) add(trial, seldom);
    clearScoreValues(values);
    add(1, seldom);
    clearScoreValues(values);
    expect([...values.dimensions.keys()]).toEqual([]);
  });
});
