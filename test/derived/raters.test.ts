import { describe, it } from "vitest";
import type { Engine, RatersRequest } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { expect } from "../stats/matchers.ts";
import { engineOf } from "../items/engine-of.ts";

type Value = boolean | number | string | null;

/** Four raters of 30 units with a fifth of the ratings missing, drawn by numpy 1.26.4 with seed 5. */
const RATINGS: readonly (readonly (number | null)[])[] = [
  [3, 3, 3, 3],
  [4, 4, null, 1],
  [null, 1, 1, 1],
  [4, 2, null, 4],
  [2, 2, 2, 4],
  [3, 3, 2, 3],
  [3, 3, 3, 4],
  [null, 3, 2, null],
  [3, 4, 4, null],
  [1, 1, 1, 2],
  [2, 2, 2, 2],
  [2, null, 2, 2],
  [null, 3, 2, 3],
  [2, null, 1, 1],
  [1, 1, 1, 1],
  [1, null, 1, 4],
  [1, 1, 1, 1],
  [2, 1, 1, 1],
  [null, null, 1, 1],
  [4, 4, 4, 4],
  [1, 2, 1, 3],
  [3, null, 1, 2],
  [4, null, 4, 1],
  [1, 1, 1, null],
  [2, 2, 4, 1],
  [4, 2, null, 2],
  [2, 2, 2, null],
  [4, 4, null, 4],
  [null, 1, 1, null],
  [4, 4, null, null],
];
const PEOPLE = ["ann", "bob", "cy", "dee"];
const NAMES = PEOPLE.map((name) => `${name}.ok`);

/** An engine with a trial a unit; the ratings are scores of four scorers. */
function withScores(units: readonly (readonly Value[])[]): Promise<Engine> {
  return engineOf([
    root("e"),
    ...units.map((unit, i) => {
      const said = unit.flatMap((ok, r) => (ok === null ? [] : [[PEOPLE[r] ?? "", { ok }] as const]));
      return trial(`t${i}`, { q: i }, Object.fromEntries(said));
    }),
  ]);
}

async function ratersOf(engine: Engine, request: Partial<RatersRequest> = {}) {
  return (await engine.agreement(PROJECT, { evaluations: ["e"], raters: NAMES, ...request })).raters;
}

describe("raters", () => {
  it("agree as the packages krippendorff, irrCAC and statsmodels say, missing ratings and all", async () => {
    const found = await ratersOf(await withScores(RATINGS));
    // krippendorff 0.9.0: alpha(level_of_measurement=…); irrCAC 0.4.4: CAC(…).gwet(), pa and coefficient_value.
    const { alpha } = found;
    expect([alpha.nominal, alpha.ordinal, alpha.interval]).toAgreeWith([
      0.48042282897231703, 0.5629484985648046, 0.547011207970112,
    ]);
    expect([found.percent, found.gwet_ac1]).toAgreeWith([0.616666666666667, 0.493454056038174], 1e-13);
    const rated = RATINGS.filter((unit) => unit.filter((one) => one !== null).length > 1);
    expect(found.unit_count).toBe(rated.length);
    expect(found.rating_count).toBe(rated.flat().filter((one) => one !== null).length);
  });

  it("are compared two by two, as statsmodels, krippendorff and irrCAC do", async () => {
    const { pairs } = await ratersOf(await withScores(RATINGS));
    // n, Cohen's kappa of statsmodels 0.15.0 and of psych 2.2.9 of R, nominal alpha of krippendorff 0.9.0,
    // AC1 and pa of irrCAC 0.4.4.
    const figures = [
      [20, 0.6644295302013423, 0.6711635750421585, 0.667062549485352, 0.75],
      [20, 0.590443686006826, 0.5916230366492146, 0.604974396488661, 0.7],
      [21, 0.23170731707317072, 0.24655436447166934, 0.240892403275911, 0.428571428571429],
      [19, 0.633204633204633, 0.638671875, 0.654916796605404, 0.736842105263158],
      [18, 0.4857142857142858, 0.49275362318840576, 0.485420240137221, 0.611111111111111],
      [20, 0.28571428571428564, 0.29729729729729726, 0.34755624515128, 0.5],
    ];
    expect(pairs.map(({ a, b }) => [a, b])).toEqual(
      NAMES.flatMap((a, i) => NAMES.slice(i + 1).map((b) => [a, b])),
    );
    for (const [i, { n, cohen_kappa, alpha_nominal, gwet_ac1, percent }] of pairs.entries())
      expect([n, cohen_kappa, alpha_nominal, gwet_ac1, percent]).toAgreeWith(figures[i] ?? [], 1e-12);
  });

  it("agree alike in true and false and in 1 and 0", async () => {
    const truths = RATINGS.map((unit) => unit.map((one) => (one === null ? null : one > 2)));
    const { most_dissent: _, ...found } = await ratersOf(await withScores(truths));
    // krippendorff 0.9.0 and irrCAC 0.4.4.
    expect([found.alpha.nominal, found.percent, found.gwet_ac1]).toAgreeWith(
      [0.4894736842105264, 0.744444444444444, 0.512941176470588],
      1e-12,
    );
    const numbers = truths.map((unit) => unit.map((one) => (one === null ? null : Number(one))));
    const { most_dissent: __, ...same } = await ratersOf(await withScores(numbers));
    expect(same).toEqual(found);
  });

  it("have no order in texts, and all figures of categories", async () => {
    const texts = RATINGS.map((unit) => unit.map((one) => (one === null ? null : `kind ${one}`)));
    const found = await ratersOf(await withScores(texts));
    expect(found.alpha).toMatchObject({ ordinal: null, interval: null });
    expect([found.alpha.nominal, found.gwet_ac1]).toAgreeWith(
      [0.48042282897231703, 0.493454056038174],
      1e-12,
    );
    expect(Object.values(found.most_dissent[0]?.ratings ?? {})[0]).toMatch(/^kind /);
  });

  it("are told who differs most first, and where", async () => {
    const { by_rater, most_dissent: trials } = await ratersOf(await withScores(RATINGS));
    const plain = PEOPLE.map((_, r) => {
      const pairs = RATINGS.flatMap((unit) =>
        unit.flatMap((other, o) => (o === r || other === null || unit[r] == null ? [] : [unit[r] !== other])),
      );
      return pairs.filter(Boolean).length / pairs.length;
    });
    const order = NAMES.toSorted((a, b) => (plain[NAMES.indexOf(b)] ?? 0) - (plain[NAMES.indexOf(a)] ?? 0));
    expect(by_rater.map(({ rater }) => rater)).toEqual(order);
    for (const { rater, disagreement } of by_rater)
      expect(disagreement).toAgreeWith(plain[NAMES.indexOf(rater)] ?? Number.NaN);
    expect(trials).toHaveLength(10);
    expect(
      Object.values(trials[0]?.ratings ?? {})
        .map(String)
        .toSorted(),
    ).toEqual(["1", "4", "4"]);
  });

  it("are people, where one kind of feedback is named", async () => {
    const engine = await engineOf([root("e"), ...[0, 1, 2].map((i) => trial(`t${i}`, { q: i }))]);
    const give = (i: number, value: boolean, creator: string | null, userId = "api") =>
      engine.feedback.create(
        {
          project_id: PROJECT,
          svc_ref: `svc:///${PROJECT}/call/t${i}`,
          feedback_type: "correct",
          payload: { value },
          ...(creator === null ? {} : { creator }),
        },
        { userId },
      );
    await give(0, true, "bob");
    await give(0, true, "ann");
    await give(0, false, "ann");
    await give(1, true, "ann");
    await give(1, true, "bob");
    await give(1, false, null, "cy");
    await give(2, true, "ann", "other");
    await give(2, false, "cy");
    const found = await ratersOf(engine, { raters: ["feedback.correct"] });
    expect(found).toMatchObject({ unit_count: 3, rating_count: 7, percent: 1 / 9 });
    expect(found.by_rater.map(({ rater }) => rater).toSorted()).toEqual([
      "ann (api)",
      "ann (other)",
      "bob",
      "cy (api)",
      "cy (cy)",
    ]);
    expect(found.most_dissent.map((one) => one.ratings)).toContainEqual({ "ann (api)": false, bob: true });
  });

  it("agree fully where all ratings are the same, and tell nothing where no trial has two", async () => {
    const alike = await ratersOf(
      await withScores([
        [true, true, true, true],
        [true, true, null, null],
      ]),
    );
    expect(alike).toMatchObject({ percent: 1, gwet_ac1: 1, alpha: { nominal: 1, ordinal: 1, interval: 1 } });
    expect(alike.pairs[0]).toMatchObject({ cohen_kappa: null, gwet_ac1: 1 });
    expect(alike.most_dissent).toEqual([]);
    const apart = [
      [1, null, null, null],
      [null, 2, null, null],
      [null, null, 3, null],
      [null, null, null, 4],
    ];
    const nothing = {
      percent: null,
      gwet_ac1: null,
      alpha: { nominal: null, ordinal: null, interval: null },
    };
    expect(await ratersOf(await withScores(apart))).toMatchObject({
      unit_count: 0,
      rating_count: 0,
      ...nothing,
    });
  });

  it.each([
    [{ raters: ["ann.ok"] }, ["raters"], "two dimensions or more"],
    [{ raters: ["ann.ok", "ann.ok"] }, ["raters", 1], "named twice"],
    [{ raters: ["ann.ok", "bob.okk"] }, ["raters", 1], "there is no score"],
    [{ raters: ["ann.ok", "eve.said"] }, ["raters", 1], "has texts only"],
    [{ raters: [] }, ["raters"], "at least 1"],
    [{ a: "ann.ok" }, ["a"], "unknown member"],
    [{ at_least: 0.8 }, ["at_least"], "unknown member"],
  ])("are refused with their place: %j", async (request, path, said) => {
    const engine = await engineOf([
      root("e"),
      trial("t", { q: 1 }, { ann: { ok: true }, bob: { ok: false }, eve: { said: "well" } }),
    ]);
    const asked = { evaluations: ["e"], raters: ["ann.ok", "bob.ok"], ...request };
    const error = await engine.agreement(PROJECT, asked).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ path });
    expect(String(error)).toContain(said);
  });
});
