import { describe, it } from "vitest";
import type { Item, ItemsAnswer } from "../../src/index.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { expect } from "../stats/matchers.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { callsOf, engineOf, type Score } from "./engine-of.ts";

const evaluationsOf = (count: number) => Array.from({ length: count }, (_, e) => `e${e}`);

async function itemsOf(
  trials: readonly (readonly (readonly Score[])[])[],
  request = {},
): Promise<ItemsAnswer> {
  const engine = await engineOf(callsOf(trials));
  return engine.items(PROJECT, { evaluations: evaluationsOf(trials.length), scorer: "ok", ...request });
}

const single = (values: readonly (readonly (number | boolean | null)[])[]) =>
  values.map((rows) => rows.map((value) => (value === null ? [] : [value])));

/** Ten evaluations of eight rows, drawn by numpy 1.26.4 with seed 7. */
const DRAWN = [
  [0.8, 0.25, 0.15, 0, 0.1, 0, 1, 0.55],
  [0.7, 0.1, 0.4, 0.35, 0.3, 0.05, 1, 0.45],
  [0.65, 0.25, 0, null, 0, 0.3, 1, 0.4],
  [0.55, 0.4, 0, 0.3, 0.4, 0.45, 1, 0.3],
  [0.5, 0.3, 0.8, 0.3, 0.5, 0.75, 1, 0.5],
  [0.4, 0.6, 0.3, null, 0.95, 0.2, 1, 0.6],
  [0.35, 1, 0.85, 0.35, 0.7, 0.8, 1, 0.85],
  [0.25, 0.9, 1, 0.6, 0.8, 0.65, 1, 0.45],
  [0.2, 0.75, 1, 1, 0.5, 0.6, 1, 0.3],
  [0.1, 0.9, 1, 1, 0.8, 0.8, 1, 1],
];

/**
 * By row: scipy 1.12.0, pearsonr with its confidence_interval(0.95), and 2 norm.sf(|arctanh r| √(n − 3)); statsmodels
 * 0.15.0, multipletests(method="holm").
 */
const FIGURES: readonly (
  | readonly [r: number, low: number, high: number, p: number, adjusted: number]
  | null
)[] = [
  [
    -0.9563392907229807, -0.9899067403186762, -0.8211682730384591, 4.902798700845008e-7,
    3.4319590905915055e-6,
  ],
  [0.8404478802407526, 0.44776400059815197, 0.961355517891275, 0.0012166332866676282, 0.0072997997200057695],
  [0.7839794100740913, 0.3048131793074558, 0.9464330529120994, 0.005223910027485636, 0.026119550137428182],
  [0.6042873480106772, -0.17483444783454097, 0.9180371616369387, 0.11759128750745826, 0.23518257501491652],
  [0.6951546119788451, 0.11653364692491258, 0.9214664492572536, 0.023226387403850114, 0.07098314460183787],
  [0.7143977210577044, 0.154074835390978, 0.9270386877927953, 0.017745786150459467, 0.07098314460183787],
  null,
  [0.4832724502775296, -0.2103634650860246, 0.8532660617714966, 0.16302804336075927, 0.23518257501491652],
];

/** The row of an item, by its mean. */
function byMean(items: readonly Item[], values: readonly (readonly (number | null)[])[], row: number) {
  const own = values.flatMap((rows) => rows[row] ?? []);
  const mean = own.reduce((sum, value) => sum + value, 0) / own.length;
  const [found] = items.toSorted((a, b) => Math.abs(a.mean - mean) - Math.abs(b.mean - mean));
  if (found === undefined) throw new RangeError("no item");
  return found;
}

/** The items of the drawn values in another unit. */
function scaled(unit: number): Promise<ItemsAnswer> {
  return itemsOf(single(DRAWN.map((own) => own.map((v) => (v === null ? v : v * unit)))));
}

describe("what a row tells of evaluations", () => {
  it("is the correlation of an item with the rest of its scale, as the package psych of R has it", async () => {
    const whole = DRAWN.map((own) => [0, 1, 2, 4, 5, 7].map((row) => own[row] ?? null));
    const { rows } = await itemsOf(single(whole));
    // psych 2.2.9, R 4.2.2: alpha(values)$item.stats$r.drop.
    const figures = [
      -0.9080159535881858, 0.8093765442731383, 0.7268386534432167, 0.6757615572467814, 0.7109730720670111,
      0.5210894070009338,
    ];
    const found = figures.map((_, row) => byMean(rows, whole, row).discrimination);
    expect(found).toAgreeWith(figures, 1e-12);
  });

  it("is its correlation with the means over the other rows, as scipy and statsmodels have it", async () => {
    const { rows, counts, row_count, warnings } = await itemsOf(single(DRAWN));
    for (const [row, figures] of FIGURES.entries()) {
      const item = byMean(rows, DRAWN, row);
      expect(item.evaluation_count).toBe(DRAWN.filter((own) => own[row] !== null).length);
      const found = [
        item.discrimination,
        ...(item.discrimination_interval ?? []),
        item.p_value,
        item.p_value_adjusted,
      ];
      if (figures === null) expect(found).toEqual([null, null, null]);
      else expect(found).toAgreeWith(figures, 1e-9);
    }
    expect(row_count).toBe(8);
    expect(counts).toEqual({ all_right: 1, none_right: 0, negative: 1, unstable: 0, nothing_apart: 1 });
    expect(rows.map(({ passed_count: passed }) => passed)).toEqual(Array(8).fill(null));
    expect(warnings).toEqual([]);
  });

  it("is told worst first: negative, below 0, unstable, the others, and last what tells nothing", async () => {
    const random = seededRandom(11);
    const trials = evaluationsOf(12).map((_, e): boolean[][] => [
      ...Array.from({ length: 20 }, () => [random() < 0.1 + e * 0.07]),
      [e < 6],
      [true],
      [false],
      e === 3 ? [true, false] : [e > 5],
    ]);
    const { rows, counts, sentence } = await itemsOf(trials);
    const groups = rows.map(({ flags, discrimination: r }) =>
      flags.includes("negative")
        ? 0
        : r !== null && r < 0
          ? 1
          : flags.includes("unstable")
            ? 2
            : r === null
              ? 4
              : 3,
    );
    expect(groups).toEqual(groups.toSorted((a, b) => a - b));
    expect(rows[0]?.flags).toEqual(["negative"]);
    expect(rows.at(-1)?.discrimination).toBeNull();
    expect(counts).toMatchObject({ all_right: 1, none_right: 1, negative: 1, unstable: 1, nothing_apart: 2 });
    expect(sentence).toBe(
      "2 of 24 rows tell these 12 evaluations nothing apart; 1 row is answered better by the worse models: look at its reference first.",
    );
    const tail = rows.slice(-2).map(({ row_digest: digest }) => digest);
    expect(tail).toEqual(tail.toSorted());
  });

  it("counts each evaluation once, whatever its trials, and passes it where all of them do", async () => {
    const { rows } = await itemsOf([
      [[true, false], [true]],
      [[true, true], [true]],
      [[true], [false]],
    ]);
    const right = rows.find(({ trial_count: trials }) => trials === 5);
    expect(right).toMatchObject({
      mean: 0.8333333333333333,
      trial_count: 5,
      evaluation_count: 3,
      passed_count: 2,
      flags: ["unstable"],
    });
  });

  it.each([2, 3, 7, 8])(
    "has a correlation from 3 evaluations on, and an interval from 8 on: %i",
    async (count) => {
      const trials = evaluationsOf(count).map((_, e) => [[e % 3], [e], [e * e]]);
      const { rows, warnings } = await itemsOf(trials);
      for (const { discrimination, discrimination_interval: interval, p_value } of rows) {
        expect(discrimination === null).toBe(count < 3);
        expect([interval === null, p_value === null]).toEqual([count < 8, count < 8]);
      }
      const said = `no row has an interval or a p value: ${count} evaluations have values, 8 are needed`;
      expect(warnings).toEqual(count < 8 ? [said] : []);
    },
  );

  it("has neither interval nor p value at −1 and 1, and nothing where a side is the same but for rounding", async () => {
    const thirds = evaluationsOf(9).map((_, e) => [
      e % 2 === 0 ? [0.1, 0.2, 0.3] : [0.3, 0.2, 0.1],
      [e / 7],
      [e / 7],
    ]);
    const { rows, counts } = await itemsOf(thirds);
    expect(rows.map(({ discrimination }) => discrimination)).toEqual([null, 1, 1]);
    expect(rows.flatMap(({ p_value, discrimination_interval: interval }) => [p_value, interval])).toEqual(
      Array(6).fill(null),
    );
    expect(counts.nothing_apart).toBe(1);
  });

  it("is the same for numbers that sums of would be too large", async () => {
    const [plain, large] = await Promise.all([scaled(1), scaled(1.5e308)]);
    for (const [i, { discrimination }] of large.rows.entries()) {
      if (discrimination === null) expect(plain.rows[i]?.discrimination).toBeNull();
      else expect(discrimination).toAgreeWith(plain.rows[i]?.discrimination ?? 0, 1e-12);
    }
  });

  it("takes rows without a known trial for none, and evaluations without a value for none", async () => {
    const trials: Score[][][] = [
      [[true], [null]],
      [[false], [null]],
      [[null], [null]],
    ];
    const answer = await itemsOf(trials);
    expect(answer).toMatchObject({ row_count: 1, evaluations: ["e0", "e1"] });
    expect(answer.rows[0]).toMatchObject({ evaluation_count: 2, trial_count: 2, passed_count: 1 });
  });

  it("gives a page of the rows, and counts them all", async () => {
    const whole = await itemsOf(single(DRAWN));
    const page = await itemsOf(single(DRAWN), { limit: 3, offset: 2 });
    expect(page).toEqual({ ...whole, rows: whole.rows.slice(2, 5) });
  });

  it("keeps the rows that filters keep, before it compares them with the others", async () => {
    const filters = [{ query: { $expr: { $lt: [{ $getField: "inputs.q" }, { $literal: 5 }] } } }];
    const filtered = await itemsOf(single(DRAWN), { filters });
    const alone = await itemsOf(single(DRAWN.map((rows) => rows.slice(0, 5))));
    expect(filtered).toEqual(alone);
    const nothing = [{ query: { $expr: { $lt: [{ $getField: "inputs.q" }, { $literal: -1 }] } } }];
    expect(await itemsOf(single(DRAWN), { filters: nothing })).toMatchObject({
      row_count: 0,
      rows: [],
      evaluations: [],
      sentence: "No row has a value of this score.",
    });
  });

  it("does not depend on threads or the order of records", async () => {
    const request = { evaluations: evaluationsOf(DRAWN.length), scorer: "ok" };
    const calls = callsOf(single(DRAWN));
    const one = await (await engineOf(calls)).items(PROJECT, request);
    const other = await (await engineOf(calls.toReversed(), 4)).items(PROJECT, request);
    expect(JSON.stringify(other)).toBe(JSON.stringify(one));
  });

  it("reads feedback, derived scores and the one dimension of a scorer", async () => {
    const engine = await engineOf([
      root("e0"),
      ...[0, 1].map((row) => trial(`t${row}`, { q: row }, { judge: { ok: row === 0 } }, { parent_id: "e0" })),
    ]);
    await engine.feedback.create(
      {
        project_id: PROJECT,
        svc_ref: `svc:///${PROJECT}/call/t0`,
        feedback_type: "correct",
        payload: { value: true },
      },
      { userId: "ann" },
    );
    const ask = (scorer: string, others = {}) =>
      engine.items(PROJECT, { evaluations: ["e0"], scorer, ...others });
    expect(await ask("judge")).toMatchObject({ scorer_key: "judge", path: "ok", row_count: 2 });
    expect(await ask("feedback.correct")).toMatchObject({ path: "correct", row_count: 1 });
    const derived_scores = { twice: "2 * judge.ok" };
    expect(await ask("twice", { derived_scores })).toMatchObject({ scorer_key: "twice", row_count: 2 });
  });
});

async function refusal(request: object): Promise<unknown> {
  return itemsOf([[[true]], [["text"]]], request).then(
    () => null,
    (error: unknown) => error,
  );
}

describe("a request for items", () => {
  it.each([
    [{ scorer: "okk" }, ["scorer"], "there is no score"],
    [{ evaluations: ["e1"] }, ["scorer"], "has texts only"],
    [{ evaluations: [] }, ["evaluations"], ""],
    [{ confidence: 1 }, ["confidence"], ""],
    [{ limit: -1 }, ["limit"], ""],
    [{ count_errors_as: 0 }, ["count_errors_as"], ""],
    [{ evaluations: ["latest~9"] }, ["evaluations", 0], "latest~9"],
  ])("is refused with its place: %j", async (request, path, said) => {
    const error = await refusal(request);
    expect(error).toMatchObject({ path });
    expect(String(error)).toContain(said);
  });
});
