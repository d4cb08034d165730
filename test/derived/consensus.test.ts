import { describe, expect, it } from "vitest";
import type { Engine, EvalResultsRequest, EvalResultsResponse } from "../../src/index.ts";
import { engineOf } from "../items/engine-of.ts";
import { call, PROJECT, root, trial } from "../support/records.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { refusal } from "../support/refusal.ts";
import { consensusOf, type Method } from "./consensus-oracle.ts";

type Rating = boolean | number | null;
const METHODS: readonly Method[] = ["majority", "mean", "dawid-skene"];
const PEOPLE = ["ann", "bob", "cy", "dee", "eve"];

const raters = (count: number) => PEOPLE.slice(0, count).map((name) => `${name}.ok`);
const consensus = (method: Method, of: readonly string[]) => ({ gold: { consensus: { of, method } } });

/** A trial a unit; what each person says is a score of a scorer of that name. */
function callsOf(id: string, units: readonly (readonly Rating[])[]): object[] {
  return [
    root(id, { ended_at: "2026-01-01T00:00:01Z" }),
    ...units.map((unit, i) => {
      const said = unit.flatMap((ok, r) => (ok === null ? [] : [[PEOPLE[r] ?? "", { ok }] as const]));
      return trial(`${id}-${i}`, { q: i, half: i % 2 }, Object.fromEntries(said), { parent_id: id });
    }),
  ];
}

async function asked(engine: Engine, request: EvalResultsRequest): Promise<EvalResultsResponse> {
  return engine.queryEvalResults(PROJECT, { evaluation_call_ids: ["e"], ...request });
}

/** The value of each trial, by its place; null where it has none. */
async function valuesOf(engine: Engine, request: EvalResultsRequest): Promise<Map<string, unknown>> {
  const { rows } = await asked(engine, request);
  const trials = rows.flatMap(({ evaluations }) => evaluations.flatMap((one) => one.trials));
  return new Map(trials.map((one) => [one.predict_and_score_call_id, one.scores["gold"] ?? null]));
}

/** Drawn by numpy 1.26.4 with seed 7: two careful people, a lenient one, one who guesses, and a strict one. */
const TRUTHS =
  `11110 001-0 -0000 -1111 01111 --100 11111 0100- 0--1- 11-11 -111- 11101 11111 11110 111-0 11101
  00000 0-10- 11111 01110 11101 1-111 1111- 11-01 11111 11101 011-1 00000 11--1 11101 11110 1--1- 11101 11100 -1-00
  10101 11-11 11111 0-100 11111 11101 10100 1-11- 00000 11111 01010 111-1 11111 01111 01100 11111 1-101 -11-1 10111
  11110 11111 00000 1111- 0010- 11-11`
    .split(/\s+/)
    .map((unit) => Array.from(unit, (one) => (one === "-" ? null : one === "1")));

describe("a consensus", () => {
  it("of Dawid and Skene is that of the package crowd-kit, of true and false", async () => {
    // crowd-kit 1.4.2: DawidSkene(n_iter=20000, tol=1e-13).fit_predict; the least margin of two classes is 0.19.
    const labels = "100110101111111100111111111011111101110110101011101111110101";
    const engine = await engineOf(callsOf("e", TRUTHS));
    const found = await valuesOf(engine, { derived_scores: consensus("dawid-skene", raters(5)) });
    expect(TRUTHS.map((_, i) => found.get(`e-${i}`))).toEqual(Array.from(labels, (one) => one === "1"));
  });

  it("of Dawid and Skene is that of the package crowd-kit, of four grades with missing ratings", async () => {
    // The units of raters.test.ts, as digits; crowd-kit 1.4.2 as above; the least margin is 0.94.
    const units =
      `3333 44-1 -111 42-4 2224 3323 3334 -32- 344- 1112 2222 2-22 -323 2-11 1111 1-14 1111 2111 --11 4444
      1213 3-12 4-41 111- 2241 42-2 222- 44-4 -11- 44--`.split(/\s+/);
    const labels = "341223334122311111141141222414";
    const ratings = units.map((unit) => Array.from(unit, (one) => (one === "-" ? null : Number(one))));
    const engine = await engineOf(callsOf("e", ratings));
    const found = await valuesOf(engine, { derived_scores: consensus("dawid-skene", raters(4)) });
    expect(units.map((_, i) => found.get(`e-${i}`)).join("")).toBe(labels);
  });

  const seed = Number(process.env["SEED"] ?? 4021);
  it(`is what the definitions say of random ratings of two evaluations, in any order (SEED=${seed})`, async () => {
    const random = seededRandom(seed);
    for (const grades of [2, 3]) {
      const units = Array.from({ length: 80 }, () => {
        const truth = Math.floor(random() * grades);
        const said = PEOPLE.slice(0, 4).map(() => {
          const value = random() < 0.7 ? truth : Math.floor(random() * grades);
          return random() < 0.8 ? value : null;
        });
        return said.every((one) => one === null) ? [truth, null, null, null] : said;
      });
      const shown = units.map((unit) => unit.map((one) => (grades > 2 || one === null ? one : one === 1)));
      const calls = [...callsOf("e", shown.slice(0, 50)), ...callsOf("f", shown.slice(50))];
      const engine = await engineOf(calls, 2);
      const reversed = await engineOf(calls.toReversed());
      for (const method of METHODS) {
        const request = { evaluation_call_ids: ["e", "f"], derived_scores: consensus(method, raters(4)) };
        const found = await valuesOf(engine, request);
        const truths = grades === 2 && method !== "mean";
        const expected = consensusOf(units, method).map((one) => (truths && one !== null ? one === 1 : one));
        const names = units.map((_, i) => (i < 50 ? `e-${i}` : `f-${i - 50}`));
        expect(
          names.map((name) => found.get(name) ?? null),
          `${method} of ${grades}`,
        ).toEqual(expected);
        expect(await valuesOf(reversed, request)).toEqual(found);
        const { warnings } = await asked(engine, request);
        const tied = expected.filter((one) => one === null).length;
        const have = tied === 1 ? "1 trial on which" : `${tied} trials on which`;
        const told = warnings.filter((one) => one.startsWith("gold: "));
        expect(told.length).toBe(tied === 0 ? 0 : 1);
        expect(told.join() || `${have} ann.ok, bob.ok, cy.ok, dee.ok are tied`).toContain(
          `${have} ann.ok, bob.ok, cy.ok, dee.ok are tied`,
        );
      }
    }
  });

  it("is the same whatever filters keep and in whatever order raters are named", async () => {
    const engine = await engineOf(callsOf("e", TRUTHS));
    for (const method of METHODS) {
      const all = await valuesOf(engine, { derived_scores: consensus(method, raters(5)) });
      const turned = await valuesOf(engine, { derived_scores: consensus(method, raters(5).toReversed()) });
      for (const [id, value] of all) expect(Number(turned.get(id))).toBeCloseTo(Number(value), 14);
      const field = { $getField: "inputs.half" };
      const filters = [{ query: { $expr: { $eq: [field, { $literal: 1 }] as const } } }];
      const kept = await valuesOf(engine, { derived_scores: consensus(method, raters(5)), filters });
      expect(kept.size).toBe(30);
      for (const [id, value] of kept) expect(value).toBe(all.get(id));
    }
  });

  it("has no value where nobody rated, and takes late ratings only where children count", async () => {
    const attributes = { svc: { score: true } };
    const late = { parent_id: "e-0", op_name: "dee.score", attributes, output: { ok: 0 } };
    const calls = callsOf("e", [
      [1, null, 1],
      [null, null, null],
    ]);
    const engine = await engineOf([...calls, call("s", late)]);
    const of = ["ann.ok", "dee.ok"];
    const shown = async (method: Method, include_predict_and_score_children: boolean) => {
      const derived_scores = consensus(method, of);
      return (await valuesOf(engine, { derived_scores, include_predict_and_score_children })).get("e-0");
    };
    expect(await shown("mean", true)).toBe(0.5);
    expect(await shown("mean", false)).toBe(1);
    expect(await shown("majority", true)).toBeNull();
    expect(await shown("dawid-skene", false)).toBe(1);
    const unrated = await valuesOf(engine, { derived_scores: consensus("dawid-skene", of) });
    expect(unrated.get("e-1")).toBeNull();
  });

  it("takes what people said as a rater", async () => {
    const engine = await engineOf(
      callsOf("e", [
        [true, false],
        [true, true],
        [false, false],
      ]),
    );
    for (const [i, value] of [true, false, true].entries())
      await engine.feedback.create(
        {
          project_id: PROJECT,
          svc_ref: `svc:///${PROJECT}/call/e-${i}`,
          feedback_type: "right",
          payload: { value },
        },
        { userId: "ann" },
      );
    const derived_scores = consensus("majority", ["ann.ok", "bob.ok", "feedback.right"]);
    const found = await valuesOf(engine, { include_feedback: true, derived_scores });
    expect([...found.values()].map(Number).reduce((a, b) => a + b)).toBe(2);
    expect(found.get("e-2")).toBe(false);
  });
});

describe("a consensus as a score", () => {
  const request = { evaluation_call_ids: ["e", "f"], derived_scores: consensus("dawid-skene", raters(5)) };
  const units = [TRUTHS.slice(0, 30), TRUTHS.slice(30)] as const;

  it("is true and false in a summary, sorts, filters and slices, and is compared", async () => {
    const engine = await engineOf([...callsOf("e", units[0]), ...callsOf("f", units[1])]);
    const values = consensusOf(
      TRUTHS.map((unit) => unit.map((one) => (one === null ? null : Number(one)))),
      "dawid-skene",
    );
    const rights = [values.slice(0, 30), values.slice(30)].map(
      (own) => own.filter((one) => one === 1).length,
    );
    const { summary } = await asked(engine, {
      ...request,
      include_summary: true,
      include_uncertainty: true,
      by: "inputs.half",
    });
    const stats = summary?.evaluations.map((one) =>
      one.scorer_stats.find(({ scorer_key }) => scorer_key === "gold"),
    );
    expect(stats).toMatchObject(rights.map((pass_true_count) => ({ value_type: "binary", pass_true_count })));
    expect(stats?.[0]?.slices).toMatchObject([{ trial_count: 15 }, { trial_count: 15 }]);
    const compared = await engine.compareEvaluations(PROJECT, {
      derived_scores: request.derived_scores,
      baseline: "e",
      candidates: ["f"],
      scorers: ["gold"],
    });
    expect(compared.comparisons[0]).toMatchObject({ scorer_key: "gold" });
    expect(compared.comparisons[0]?.baseline_mean).toBeCloseTo((rights[0] ?? 0) / 30, 12);
    const sorted = await asked(engine, {
      ...request,
      evaluation_call_ids: ["e"],
      sort_by: [{ field: "scores.gold", direction: "asc" }],
    });
    const shown = sorted.rows.map((row) => row.evaluations[0]?.trials[0]?.scores["gold"]);
    expect(shown).toEqual(shown.toSorted((a, b) => Number(a) - Number(b)));
    const filters = [
      {
        query: { $expr: { $eq: [{ $getField: "scores.gold" }, { $literal: false }] as const } },
        evaluation_call_id: "e",
      },
    ];
    expect((await asked(engine, { ...request, filters })).total_rows).toBeGreaterThan(0);
  });

  it("is the same score in boards, agreement, rows' answers and tables", async () => {
    const engine = await engineOf([...callsOf("e", units[0]), ...callsOf("f", units[1])]);
    const scope = { evaluations: ["e", "f"], derived_scores: request.derived_scores };
    const { summary } = await asked(engine, { ...request, include_summary: true });
    const stats = summary?.evaluations.map((one) =>
      one.scorer_stats.find(({ scorer_key }) => scorer_key === "gold"),
    );
    const rates = stats?.map((one) => one?.pass_rate);
    const board = await engine.leaderboard(PROJECT, { ...scope, scorers: ["gold"] });
    expect(board.entries.map((one) => one.scores?.[0]?.row_mean)).toEqual(
      expect.arrayContaining(rates ?? []),
    );
    const { n_both } = await engine.agreement(PROJECT, { ...scope, a: "gold", b: "ann.ok" });
    expect(n_both).toBe(TRUTHS.filter(([ann]) => ann !== null).length);
    const items = await engine.items(PROJECT, { ...scope, scorer: "gold" });
    expect(items.row_count).toBe(30);
  });
});

describe("a consensus without meaning", () => {
  it("is refused where it stands", async () => {
    const text = [trial("x", { q: 99 }, { ann: { ok: true, why: "so" }, bob: { ok: 2 }, list: [] })];
    const engine = await engineOf([root(), ...text]);
    const of = ["ann.ok", "bob.ok"];
    const faults: readonly [unknown, (string | number)[], RegExp][] = [
      [
        { consensus: { of: ["ann.ok", "bob.okay"], method: "mean" } },
        ["consensus", "of", 1],
        /no score bob\.okay/,
      ],
      [
        { consensus: { of: ["ann.ok", "ann.why"], method: "mean" } },
        ["consensus", "of", 1],
        /ann\.why is text/,
      ],
      [{ consensus: { of: ["ann", "bob.ok"], method: "mean" } }, ["consensus", "of", 0], /ann is an object/],
      [
        { consensus: { of: ["ann.ok", "gold"], method: "mean" } },
        ["consensus", "of", 1],
        /derived score itself/,
      ],
      [{ consensus: { of: [...of, "ann.ok"], method: "mean" } }, ["consensus", "of", 2], /named twice/],
      [{ consensus: { of: ["ann.ok"], method: "mean" } }, ["consensus", "of"], /2/],
      [{ consensus: { of, method: "median" } }, ["consensus", "method"], /majority/],
      [{ consensus: { of } }, ["consensus", "method"], /majority/],
      [{ consensus: { of, method: "mean", weights: 1 } }, ["consensus", "weights"], /weights|unknown|not/i],
      [5, [], /a text, or an object with the member consensus/],
    ];
    for (const [gold, loc, message] of faults) {
      const derived_scores = { gold } as unknown as EvalResultsRequest["derived_scores"];
      const error = await refusal(asked(engine, { derived_scores }));
      expect(error, JSON.stringify(gold)).toMatchObject({ path: ["derived_scores", "gold", ...loc] });
      expect(error.message).toMatch(message);
    }
  });

  it("is refused of more values than dawid-skene takes for classes", async () => {
    const engine = await engineOf(
      callsOf(
        "e",
        Array.from({ length: 51 }, (_, i) => [i, i]),
      ),
    );
    const error = await refusal(asked(engine, { derived_scores: consensus("dawid-skene", raters(2)) }));
    expect(error).toMatchObject({ code: "unsupported_request" });
    expect(error.message).toContain("more than 50 different values");
    expect((await valuesOf(engine, { derived_scores: consensus("majority", raters(2)) })).get("e-50")).toBe(
      50,
    );
  });
});
