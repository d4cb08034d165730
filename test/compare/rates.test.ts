import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type CompareRequest, type Comparison, type Engine } from "../../src/index.ts";
import { conclusionLines } from "../../src/words/comparison-words.ts";
import { comparedSides } from "../../src/words/comparison-words.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { PROJECT, root, trial } from "../support/records.ts";

const SEED = Number(process.env["SEED"] ?? 811);
const random = seededRandom(SEED);
const BASELINES = 5;
const CANDIDATES = 40;

/** Trials whose score `truth` is true or false, and whose score `number` is the same as 1 or 0. */
function run(id: string, repeated: boolean): object[] {
  const [rate, kept] = [random(), 0.7 + 0.3 * random()];
  const rows = Array.from({ length: 14 }, (_, row) => row).filter(() => random() < kept);
  return [
    root(id, { display_name: "tries", started_at: startOf(id), ended_at: "2026-06-01T00:00:00Z" }),
    ...rows.flatMap((row) =>
      Array.from({ length: repeated ? 1 + Math.floor(3 * random()) : 1 }, (_, i) => {
        const truth = random() < rate;
        const scores = { truth, number: truth ? 1 : 0, other: truth ? 1 : 0 };
        return trial(`${id}-${row}-${i}`, { row, topic: row % 3 }, scores, { parent_id: id });
      }),
    ),
  ];
}

let minutes = 0;
function startOf(id: string): string {
  minutes += 1;
  if (id === "odd") return "2020-01-01T00:00:00Z";
  return new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString();
}

const baselines = Array.from({ length: BASELINES }, (_, i) => `base-${i}`);
const candidates = Array.from({ length: CANDIDATES }, (_, i) => `run-${i}`);
let engine: Engine;

beforeAll(async () => {
  engine = await openEngine();
  await engine.ingestCalls([
    ...baselines.flatMap((id, i) => run(id, i % 2 === 1)),
    ...candidates.flatMap((id, i) => run(id, i % 3 === 2)),
    // What other evaluations have in a dimension does not matter: `other` has fractions and large numbers elsewhere.
    root("odd"),
    ...[0.3, 1e9, 0, 1].map((other, row) =>
      trial(`odd-${row}`, { row, topic: row % 3 }, { other, truth: row > 1 }, { parent_id: "odd" }),
    ),
  ]);
});
afterAll(() => engine.close());

/** Everything of a comparison but how its score is called and stored. */
function figures({ scorer_key: _key, value_type: _type, rate: _rate, ...one }: Comparison) {
  return one;
}

const asks: readonly Partial<CompareRequest>[] = [
  {},
  { margin: 0.1, cluster_by: "inputs.topic", confidence: 0.9 },
  { by: "inputs.topic", adjust: "benjamini-hochberg" },
];

describe(`numbers that are all 0 or 1 (SEED=${SEED})`, () => {
  it.each(["number", "other"])("are compared to the last bit as true and false are: %s", async (name) => {
    for (const [i, baseline] of baselines.entries()) {
      const asked = { baseline, candidates, ...asks[i % asks.length] };
      const [expected, found] = await Promise.all(
        ["truth", name].map((one) => engine.compareEvaluations(PROJECT, { ...asked, scorers: [one] })),
      );
      expect(found?.comparisons.map(figures)).toEqual(expected?.comparisons.map(figures));
      expect(found?.comparisons.every(({ value_type, rate }) => value_type === "continuous" && rate)).toBe(
        true,
      );
      expect(expected?.comparisons.some(({ rate }) => rate !== undefined)).toBe(false);
    }
  });

  it.each(["number", "other"])("are ranked, summed up and remembered likewise: %s", async (name) => {
    const evaluations = [...baselines, ...candidates.slice(0, 6)];
    const boards = ["truth", name].map(async (one) => {
      const board = await engine.leaderboard(PROJECT, { evaluations, scorers: [one] });
      return board.entries.map(({ scores, against_best: best, ...entry }) => [
        { ...entry, latency: null },
        best === null ? null : figures(best),
        scores.map(({ row_mean, confidence_interval, standard_error }) => [
          row_mean,
          confidence_interval,
          standard_error,
        ]),
      ]);
    });
    const [expected, found] = await Promise.all(boards);
    expect(found).toEqual(expected);
    const histories = ["truth", name].map(async (scorer) => {
      const asked = { name: "tries", scorers: [scorer], limit: 8 };
      const { entries, dimensions } = await engine.history(PROJECT, asked);
      const previous = entries.map((entry) => entry.against_previous);
      return { pairs: previous.map((pair) => pair && figures(pair)), dimensions };
    });
    const [truths, numbers] = await Promise.all(histories);
    expect(numbers?.pairs).toEqual(truths?.pairs);
    expect(numbers?.dimensions[0]).toMatchObject({ value_type: "continuous", rate: true });
    const { summary } = await engine.queryEvalResults(PROJECT, {
      evaluation_call_ids: [...evaluations, "odd"],
      include_rows: false,
      include_summary: true,
      include_uncertainty: true,
    });
    const told = (summary?.evaluations ?? []).flatMap(({ evaluation_call_id: id, scorer_stats: all }) =>
      all.filter(({ scorer_key: key }) => key === name).map((own) => [id, own.value_type, own.rate]),
    );
    const valued = name === "number" ? evaluations : [...evaluations, "odd"];
    expect(told).toEqual(valued.map((id) => [id, "continuous", id === "odd" ? undefined : true]));
  });

  it("are said as true and false are, in percent and points, with a good side", async () => {
    const said = ["truth", "number"].map(async (name) => {
      const request = { baseline: "base-0", candidates: candidates.slice(0, 4), scorers: [name] };
      const answer = await engine.compareEvaluations(PROJECT, request);
      const lines = conclusionLines({ answer, request, sides: comparedSides(answer), names: new Map() });
      return lines.join("\n").replaceAll(name, "score");
    });
    const [expected, found] = await Promise.all(said);
    expect(found).toBe(expected);
    expect(found).toMatch(/ points/);
  });

  it("are numbers again where a side has another value, each pair for itself", async () => {
    const { comparisons } = await engine.compareEvaluations(PROJECT, {
      baseline: "base-0",
      candidates: ["run-0", "odd"],
      scorers: ["other"],
    });
    expect(comparisons.map(({ rate, method }) => [rate, method])).toEqual([
      [true, "mcnemar-mid-p"],
      [undefined, "paired-t"],
    ]);
    const within = await engine.compareEvaluations(PROJECT, {
      baseline: "base-0",
      candidates: ["odd"],
      scorers: ["other"],
      filters: [{ query: { $expr: { $gte: [{ $getField: "inputs.row" }, { $literal: 2 }] } } }],
    });
    expect(within.comparisons[0]?.rate).toBe(true);
  });

  it("are a rate beside true and false on the other side", async () => {
    const records = [true, false, true, false].map((value, row) => [value, row] as const);
    const mixed = await openEngine();
    await mixed.ingestCalls([
      root("truths"),
      ...records.map(([x, row]) => trial(`t-${row}`, { row }, { x }, { parent_id: "truths" })),
      root("numbers"),
      ...records.map(([, row]) => trial(`n-${row}`, { row }, { x: 1 }, { parent_id: "numbers" })),
    ]);
    const { comparisons } = await mixed.compareEvaluations(PROJECT, {
      baseline: "truths",
      candidates: ["numbers"],
    });
    expect(comparisons[0]).toMatchObject({
      rate: true,
      method: "mcnemar-mid-p",
      p_value: expect.closeTo(0.25, 12) as number,
      difference: 0.5,
    });
    await mixed.close();
  });
});
