import { describe, expect, it } from "vitest";
import { openEngine, type AgreementRequest } from "../../src/index.ts";
import { ppi } from "../../src/stats/index.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
import { ask, engineOf, open, type Pair } from "./pair-engine.ts";

function meanOf(list: readonly number[]): number {
  return list.reduce((sum, one) => sum + one, 0) / list.length;
}

/** How far a figure is from the one wanted, as a share of a size. */
function off(found: number | null | undefined, wanted: number | null, size: number): number {
  return found === wanted ? 0 : Math.abs((found ?? Infinity) - (wanted ?? Infinity)) / size;
}

describe("the corrected mean", () => {
  const human = [1, 0, 1, 1, 0, 1, 0, 0, 1, 1];
  const judge = [1, 0, 1, 1, 1, 1, 1, 0, 1, 1];
  const unlabelled = Array.from({ length: 100 }, (_, i) => (i < 75 ? 1 : 0));

  it("is that of PPI++ as worked out by hand", async () => {
    const pairs: Pair[] = [
      ...human.map((y, i): Pair => [y, judge[i] ?? 0]),
      ...unlabelled.map((f): Pair => [null, f]),
    ];
    const { corrected_means } = await ask(await engineOf(pairs));
    const [mean] = corrected_means ?? [];
    expect(mean).toMatchObject({
      evaluation_call_id: "e",
      n_labelled: 10,
      n_unlabelled: 100,
      human_mean: 0.6,
    });
    expect(mean?.judge_mean_unlabelled).toBe(0.75);
    expect(mean?.judge_mean_labelled).toBe(0.8);
    expect(mean?.lambda).toBeCloseTo(0.6485200059497248, 12);
    expect(mean?.estimate).toBeCloseTo(0.5675739997025138, 12);
    expect(mean?.standard_error).toBeCloseTo(0.13283935863775215, 12);
    // Computed with numpy 2.4.6 and scipy 1.17.1 from the rows themselves.
    const [low = 0, high = 0] = mean?.confidence_interval ?? [];
    expect(low).toBeCloseTo(0.2780130192736318, 12);
    expect(high).toBeCloseTo(0.8173146697269844, 12);
  });

  it("is over rows, whose trials are averaged first, by evaluation; a label on one makes the row labelled", async () => {
    const random = seededRandom(5);
    const engine = await openEngine({ threads: 2 });
    open.push(engine);
    const trials = Array.from({ length: 600 }, (_, i) => ({
      evaluation: i % 3 === 0 ? "f" : "e",
      row: Math.floor(random() * 80),
      a: random() < 0.4 ? random() : null,
      b: random() < 0.9 ? random() : null,
    }));
    await engine.ingestCalls([
      root("e"),
      root("f"),
      ...trials.map(({ evaluation, row, a, b }, i) =>
        trial(`t${i}`, { row }, { a, judge: { b } }, { parent_id: evaluation }),
      ),
    ]);
    const { corrected_means } = await ask(engine, { evaluations: ["f", "e"], confidence: 0.9 });
    for (const [k, evaluation] of ["f", "e"].entries()) {
      const rows = Array.from({ length: 80 }, (_, row) =>
        trials.filter((one) => one.evaluation === evaluation && one.row === row && one.b !== null),
      );
      const labelled = rows
        .map((list) => list.filter(({ a }) => a !== null))
        .filter((list) => list.length > 0);
      const alone = rows.filter((list) => list.length > 0 && list.every(({ a }) => a === null));
      const estimate = ppi(
        {
          labelled: {
            human: labelled.map((list) => meanOf(list.map(({ a }) => a ?? 0))),
            judge: labelled.map((list) => meanOf(list.map(({ b }) => b ?? 0))),
          },
          unlabelled: { judge: alone.map((list) => meanOf(list.map(({ b }) => b ?? 0))) },
        },
        { tuned: true },
      );
      const mean = corrected_means?.[k];
      expect(mean).toMatchObject({
        evaluation_call_id: evaluation,
        n_labelled: labelled.length,
        n_unlabelled: alone.length,
      });
      expect(mean?.lambda).toBeCloseTo(estimate.lambda, 12);
      expect(mean?.estimate).toBeCloseTo(estimate.estimate ?? Number.NaN, 12);
      expect(mean?.standard_error).toBeCloseTo(estimate.standard_error ?? Number.NaN, 12);
    }
  });

  it.each([
    [900, 1000],
    [500, 500],
    [-900, 100],
  ])("changes by powers of two with the scores, as do its squares: 2^%i, 2^%i", async (powerA, powerB) => {
    const random = seededRandom(6);
    const pairs = Array.from({ length: 40 }, (_, i): [number | null, number] => [
      i % 3 === 0 ? null : random(),
      random(),
    ]);
    const [unitA, unitB] = [2 ** powerA, 2 ** powerB];
    const scaled = pairs.map(([a, b]): Pair => [a === null ? null : a * unitA, b * unitB]);
    const expected = await ask(await engineOf(pairs));
    const answer = await ask(await engineOf(scaled));
    for (const name of ["pearson", "spearman", "kendall_tau_b"] as const)
      expect(answer[name]).toBe(expected[name]);
    const [one] = expected.corrected_means ?? [];
    const [mean] = answer.corrected_means ?? [];
    expect(mean?.estimate).toBe((one?.estimate ?? Number.NaN) * unitA);
    expect(mean?.standard_error).toBe((one?.standard_error ?? Number.NaN) * unitA);
    expect(mean?.judge_mean_labelled).toBe((one?.judge_mean_labelled ?? Number.NaN) * unitB);
    expect(mean?.lambda).toBe(((one?.lambda ?? Number.NaN) * unitA) / unitB);
  });

  it("is that of the functions over arrays, for zeros, constants, tiny and huge values (SEED=404)", async () => {
    const random = seededRandom(404);
    const shapes = [
      () => 0,
      () => 0.1,
      () => (random() < 0.5 ? 0 : 1),
      () => random(),
      () => (random() - 0.5) * 2 ** 400,
      () => (random() - 0.5) * 2 ** -400,
      () => 10 + random(),
    ];
    const draw = (): (() => number) => shapes[Math.floor(random() * shapes.length)] ?? random;
    const cases = Array.from({ length: 150 }, (_, k) => {
      const [label, own, noise, other] = [draw(), draw(), draw(), draw()];
      const [n, count] = [1 + Math.floor(random() * 12), 1 + Math.floor(random() * 12)];
      const share = random();
      const said = (y: number) => share * y + (1 - share) * noise();
      const labels = Array.from({ length: n }, () => label()).map((y) => [y, said(y)] as const);
      const same = random() < 0.5;
      const alone = Array.from({ length: count }, () => (same ? said(own()) : other()));
      return { id: `e${k}`, labels, alone };
    });
    const engine = await openEngine({ threads: 2 });
    open.push(engine);
    await engine.ingestCalls(
      cases.flatMap(({ id, labels, alone }) => [
        root(id),
        ...labels.map(([a, b], i) => trial(`${id}-${i}`, { q: i }, { a, judge: { b } }, { parent_id: id })),
        ...alone.map((b, i) => trial(`${id}-${i}-alone`, { q: -1 - i }, { judge: { b } }, { parent_id: id })),
      ]),
    );
    const { corrected_means } = await ask(engine, { evaluations: cases.map(({ id }) => id) });
    for (const [k, { labels, alone }] of cases.entries()) {
      const labelled = { human: labels.map(([y]) => y), judge: labels.map(([, f]) => f) };
      const expected = ppi({ labelled, unlabelled: { judge: alone } }, { tuned: true });
      const found = corrected_means?.[k];
      const isRate = labelled.human.every((y) => y === 0 || y === 1);
      const estimate = isRate ? Math.min(1, Math.max(0, expected.estimate ?? 0)) : expected.estimate;
      const terms = [...labelled.human, ...[...labelled.judge, ...alone].map((f) => expected.lambda * f)];
      const told = JSON.stringify({ k, labelled, alone, expected, found });
      expect(off(found?.estimate, estimate, Math.max(...terms.map(Math.abs))), told).toBeLessThan(1e-12);
      expect(off(found?.lambda, expected.lambda, 1), told).toBeLessThan(1e-12);
      const error = expected.standard_error;
      expect(off(found?.standard_error, error, error ?? 1), told).toBeLessThan(1e-12);
    }
  });

  it("weighs a judge that never says yes where nobody looked", async () => {
    const pairs: Pair[] = [
      ...Array.from({ length: 12 }, (_, i): Pair => [i % 2 === 0, i % 2 === 0]),
      ...Array.from({ length: 30 }, (): Pair => [null, false]),
    ];
    const { corrected_means } = await ask(await engineOf(pairs));
    const [mean] = corrected_means ?? [];
    expect(mean?.lambda).toBeGreaterThan(0.5);
    expect(mean?.estimate).toBeLessThan(0.25);
  });

  it("of true and false lies within 0 and 1, as does its interval", async () => {
    const pairs: Pair[] = [
      ...Array.from({ length: 30 }, (_, i): Pair => [i === 0, i < 20]),
      ...Array.from({ length: 300 }, (): Pair => [null, false]),
    ];
    const { corrected_means } = await ask(await engineOf(pairs));
    const [mean] = corrected_means ?? [];
    expect(mean?.estimate).toBe(0);
    expect(mean?.confidence_interval?.[0]).toBe(0);
    expect(mean?.confidence_interval?.[1]).toBeGreaterThan(0.03);
    expect(mean?.confidence_interval?.[1]).toBeLessThan(0.2);
  });

  it("does not exist without rows that only the judge saw", async () => {
    const { corrected_means } = await ask(
      await engineOf([
        [1, 0.5],
        [0, 0.5],
      ]),
    );
    expect(corrected_means).toEqual([
      {
        evaluation_call_id: "e",
        n_labelled: 2,
        n_unlabelled: 0,
        human_mean: 0.5,
        judge_mean_labelled: 0.5,
        judge_mean_unlabelled: null,
        lambda: null,
        estimate: null,
        standard_error: null,
        confidence_interval: null,
      },
    ]);
  });
});

describe("which trials count", () => {
  it("is for filters to say", async () => {
    const engine = await engineOf([
      [true, true],
      [false, false],
      [true, false],
    ]);
    const filters = [
      { query: { $expr: { $eq: [{ $getField: "inputs.q" }, { $literal: 2 }] as [never, never] } } },
    ];
    expect(await ask(engine, { filters })).toMatchObject({ n_both: 1, raw_agreement: 0 });
  });

  it("compares feedback with derived scores, and asks for the feedback itself", async () => {
    const engine = await engineOf([
      [0.9, true],
      [0.2, true],
      [0.8, false],
    ]);
    for (const [id, value] of [
      ["t0", true],
      ["t1", true],
      ["t2", true],
    ] as const) {
      await engine.feedback.create(
        {
          project_id: PROJECT,
          svc_ref: `svc:///${PROJECT}/call/${id}`,
          feedback_type: "good",
          payload: { value },
        },
        { userId: "ann" },
      );
    }
    const request = { a: "feedback.good", b: "sure", derived_scores: { sure: "a > 0.5" } };
    expect(await ask(engine, request)).toMatchObject({ n_both: 3, judge: { precision: 1, recall: 2 / 3 } });
    expect(await refusal(ask(engine, { ...request, include_feedback: false }))).toMatchObject({
      path: ["a"],
    });
  });

  it("names evaluations that are not there", async () => {
    const engine = await engineOf([[1, 1]]);
    const { warnings } = await ask(engine, { evaluations: ["e", "gone"] });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(`"gone"`);
  });
});

describe("dimensions that cannot be compared", () => {
  it.each([
    [{ a: "nothing" }, ["a"], `there is no score "nothing"; this project has a, judge.b, text, c`],
    [{ b: "judge" }, ["b"], `there is no score "judge"`],
    [{ a: "text" }, ["a"], "has texts only"],
    [{ b: "text" }, ["b"], "has texts only"],
    [{ b: "c" }, ["a"], "no trial has both: 2 have only a, 1 have only b"],
    [{ evaluations: ["gone"] }, ["evaluations"], "no trial of these evaluations"],
    [{ evaluations: ["f"] }, ["b"], "has no value on these evaluations and rows"],
    [{ a: "" }, ["a"], ""],
    [{ evaluations: [] }, ["evaluations"], ""],
    [{ confidence: 1 }, ["confidence"], ""],
    [{ filters: [{ query: 1 }] }, ["filters", 0, "query"], ""],
    [{ derived_scores: { x: "1 +" } }, ["derived_scores", "x"], "at character 4"],
    [{ surplus: 1 }, ["surplus"], "unknown member"],
  ])("are refused: %j", async (request, path, message) => {
    const engine = await openEngine({ threads: 1 });
    open.push(engine);
    await engine.ingestCalls([
      root("e"),
      root("f"),
      trial("t1", { q: 1 }, { a: 1, judge: { b: 1 }, text: "x" }),
      trial("t2", { q: 2 }, { a: 2, judge: { b: 1 }, text: "y" }),
      trial("t3", { q: 2 }, { c: 1 }),
      trial("t4", { q: 2 }, { a: 1 }, { parent_id: "f" }),
    ]);
    const error = await refusal(ask(engine, request as Partial<AgreementRequest>));
    expect(error).toMatchObject({ path });
    expect(error.message).toContain(message);
  });
});
