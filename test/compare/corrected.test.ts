import { afterEach, describe, it } from "vitest";
import { openEngine, type CompareRequest, type Comparison, type Engine } from "../../src/index.ts";
import { expect } from "../stats/matchers.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";

type Value = number | boolean;

/** What people and the judge say of the baseline and of the candidate on a row. */
type Row = readonly [base: Value, judgedBase: Value, candidate: Value, judgedCandidate: Value];

const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

/** The generator of `rand` in ANSI C, which the oracle in Python draws from, too. */
function drawing(seed: number): () => number {
  let state = seed;
  return () => {
    state = Number((1_103_515_245n * BigInt(state) + 12_345n) % 2n ** 31n);
    return state / 2 ** 31;
  };
}

/** Evaluations "base" and "new"; only the first rows have labels. */
async function engineOf(rows: readonly Row[], labelled: number): Promise<Engine> {
  const engine = await openEngine({ threads: 1 });
  engines.push(engine);
  const seen = (id: string, i: number, human: Value, ok: Value) =>
    trial(`${id}-${i}`, { i }, i < labelled ? { human, judge: { ok } } : { judge: { ok } }, {
      parent_id: id,
    });
  await engine.ingestCalls([
    root("base"),
    root("new"),
    ...rows.flatMap(([human, ok, other, judged], i) => [
      seen("base", i, human, ok),
      seen("new", i, other, judged),
    ]),
  ]);
  return engine;
}

function one(id: string, row: number, t: number, scores: Record<string, Value>) {
  return trial(`${id}-${row}-${t}`, { row }, scores, { parent_id: id });
}

async function compare(engine: Engine, request: Partial<CompareRequest> = {}) {
  const { comparisons, warnings } = await engine.compareEvaluations(PROJECT, {
    baseline: "base",
    candidates: ["new"],
    corrected_by: { human: "human" },
    ...request,
  });
  return { comparison: comparisons[0], comparisons, warnings };
}

const passes = (): Row[] => {
  const random = drawing(7);
  return Array.from({ length: 40 }, () => {
    const [a, b, c, d] = [random(), random(), random(), random()];
    const [base, other] = [a < 0.6, b < 0.8];
    return [base, c < 0.85 ? base : !base, other, d < 0.85 ? other : !other];
  });
};

const grades = (): Row[] => {
  const random = drawing(11);
  return Array.from({ length: 40 }, () => {
    const [a, b, c, d] = [random(), random(), random(), random()];
    random();
    const base = a * 4 + 1;
    const other = base + b - 0.3;
    return [base, 0.5 * base + c, other, 0.5 * other + d];
  });
};

function expectFigures(
  comparison: Comparison | undefined,
  figures: Readonly<Record<string, number | readonly number[]>>,
): void {
  const found: Readonly<Record<string, unknown>> = { ...comparison, ...comparison?.correction };
  for (const [name, value] of Object.entries(figures)) expect(found[name], name).toAgreeWith(value);
}

// The figures are those of numpy 2.4.6 and scipy 1.17.1 from the rows themselves.
describe("a comparison corrected with labels", () => {
  it("has the difference, test and interval of PPI++ over paired rates, in the unit of the labels", async () => {
    const { comparison, comparisons, warnings } = await compare(await engineOf(passes(), 16));
    expect(comparisons).toHaveLength(1);
    expect(comparison).toMatchObject({
      scorer_key: "judge",
      path: "ok",
      value_type: "binary",
      n_common: 40,
      method: "ppi",
      reason: null,
      correction: { human: "human", n_labelled: 16, n_unlabelled: 24 },
    });
    expectFigures(comparison, {
      lambda: 0.2527374301675978,
      difference: 0.40132681564245815,
      standard_error: 0.16222507311099874,
      p_value: 0.026782847399536572,
      confidence_interval: [0.05338863838749558, 0.7492649928974207],
      human_difference: 0.375,
      judge_difference_labelled: 0.0625,
      judge_difference_unlabelled: 1 / 6,
      baseline_mean: 0.5782960893854748,
      candidate_mean: 0.9796229050279329,
    });
    expect(comparison?.verdict).toBe("improved");
    expect(warnings).toContain(
      `"new": corrected by human, which has labels on both sides on 16 of 40 shared rows, in judge.ok`,
    );
  });

  it("has Student's t over differences of grades, on whatever scale the judge gives its own", async () => {
    const { comparison } = await compare(await engineOf(grades(), 12));
    expectFigures(comparison, {
      lambda: 0.3861328537317043,
      difference: 0.10967576564986702,
      standard_error: 0.06689677809254393,
      p_value: 0.1321508821144528,
      confidence_interval: [-0.03937954469083434, 0.2587310759905684],
      human_difference: 0.09330912808266793,
      judge_difference_labelled: -0.021738681142839212,
      judge_difference_unlabelled: 0.020647345865810646,
    });
    expect(comparison?.verdict).toBe("inconclusive");
    expect(comparison?.minimum_detectable_effect).toBeGreaterThan(0.1);
  });

  it("counts a row as labelled where both sides have a label, with the trials that have one, and no other twice", async () => {
    const engine = await openEngine({ threads: 1 });
    engines.push(engine);
    await engine.ingestCalls([
      root("base"),
      root("new"),
      ...Array.from({ length: 12 }, (_, row) => [
        one("base", row, 0, { ok: row % 2, ...(row < 8 ? { human: row % 3 } : {}) }),
        one("base", row, 1, { ok: 100 }),
        one("new", row, 0, { ok: row % 4, ...(row < 6 ? { human: row % 5 } : {}) }),
        one("new", row, 1, { ok: 50 }),
      ]).flat(),
    ]);
    const { comparison } = await compare(engine);
    expect(comparison?.correction).toMatchObject({ n_labelled: 6, n_unlabelled: 6 });
    // Rows 0 to 5: (0 1 2 3 4 0) − (0 1 2 0 1 2); the judge (0 1 2 3 0 1) − (0 1 0 1 0 1) of the same trials.
    expect(comparison?.correction?.human_difference).toBeCloseTo(4 / 6, 12);
    expect(comparison?.correction?.judge_difference_labelled).toBeCloseTo(4 / 6, 12);
    // Rows 6 to 11, both trials: ((2 3 0 1 2 3) − (0 1 0 1 0 1) − 50 each) / 2.
    expect(comparison?.correction?.judge_difference_unlabelled).toBeCloseTo((8 - 300) / 12, 12);
  });

  it("says why there is none: few labels, and labels that all differ alike but for rounding", async () => {
    const few = await compare(await engineOf(passes(), 2));
    expect(few.comparison).toMatchObject({
      verdict: "inconclusive",
      difference: null,
      p_value: null,
      reason: "a correction needs 3 rows with labels on both sides and 2 others; there are 2 and 38",
    });
    const alike = grades().map(([, ok, , judged], i): Row => [0.1 * i, ok, 0.1 * i + 0.2, judged]);
    const { comparison } = await compare(await engineOf(alike, 12));
    expect(comparison).toMatchObject({ p_value: null, verdict: "inconclusive" });
    expect(comparison?.reason).toMatch(/the same difference on every row/);
  });

  it("takes labels that people gave later, and compares every judge that is named", async () => {
    const rows = passes();
    const engine = await engineOf(rows, 0);
    for (const [id, k] of [
      ["base", 0],
      ["new", 2],
    ] as const)
      for (const [i, row] of rows.slice(0, 16).entries())
        await engine.feedback.create(
          {
            project_id: PROJECT,
            svc_ref: `svc:///${PROJECT}/call/${id}-${i}`,
            feedback_type: "correct",
            payload: { value: row[k] },
          },
          { userId: "ann" },
        );
    const request = { corrected_by: { human: "feedback.correct" }, scorers: ["judge"] };
    const { comparison, comparisons } = await compare(engine, request);
    expect(comparisons).toHaveLength(1);
    expectFigures(comparison, { difference: 0.40132681564245815, p_value: 0.026782847399536572 });
  });

  it.each<[Partial<CompareRequest>, readonly (string | number)[], RegExp]>([
    [{ corrected_by: { human: "people" } }, ["corrected_by", "human"], /there is no score "people"/],
    [
      { corrected_by: { human: "human" }, scorers: ["human"] },
      ["corrected_by", "human"],
      /no other score is compared/,
    ],
    [{ cluster_by: "inputs.i" }, ["cluster_by"], /corrected_by/],
    [{ baseline_is_best: true }, ["baseline_is_best"], /corrected_by/],
    [{ corrected_by: { human: "" } }, ["corrected_by", "human"], /./],
  ])("refuses %j", async (request, path, message) => {
    const error = await refusal(compare(await engineOf(passes(), 16), request));
    expect(error).toMatchObject({ path });
    expect(error.message).toMatch(message);
  });
});
