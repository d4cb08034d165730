import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine, type PriceList } from "../../src/index.ts";
import { pairedDifference } from "../../src/stats/index.ts";
import { moneyText } from "../../src/words/figures.ts";
import { PROJECT, root, trial } from "../support/records.ts";

const PRICES: PriceList = { small: { input: 2, output: 10 } };
/** Input tokens of each trial of each row; null where the trial tells none. */
const TOKENS: Readonly<Record<string, readonly (readonly (number | null)[])[]>> = {
  a: Array.from({ length: 20 }, (_, i) => [100 + 7 * ((i * 5) % 11), 130]),
  b: Array.from({ length: 20 }, (_, i) =>
    i === 3 ? [null, null] : [190 + 3 * ((i * 7) % 13), i === 5 ? null : 200],
  ),
};

function run(id: string, scorer = "correct"): object[] {
  const rows = TOKENS[id] ?? [];
  return [
    root(id),
    ...rows.flatMap((tokens, i) =>
      tokens.map((prompt, k) =>
        trial(
          `${id}-${i}-${k}`,
          { i },
          { [scorer]: (i + k) % 3 === 0 },
          {
            parent_id: id,
            summary:
              prompt === null ? {} : { usage: { small: { prompt_tokens: prompt, completion_tokens: 10 } } },
          },
        ),
      ),
    ),
  ];
}

/** What a row costs: the mean of its trials that are known. */
function costsOf(id: string): (number | null)[] {
  return (TOKENS[id] ?? []).map((tokens) => {
    const known = tokens.filter((one) => one !== null);
    if (known.length === 0) return null;
    return known.reduce((sum, one) => sum + (one * 2 + 10 * 10) / 1e6, 0) / known.length;
  });
}

describe("the score cost of a comparison", () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await openEngine();
    await engine.ingestCalls([...run("a"), ...run("b")]);
  });
  afterAll(() => engine.close());
  const compare = (more: object = {}) =>
    engine.compareEvaluations(PROJECT, { baseline: "a", candidates: ["b"], prices: PRICES, ...more });

  it("is compared row by row like any number, less is better, and joins the family", async () => {
    const { comparisons, family_size, warnings } = await compare();
    expect(comparisons.map(({ scorer_key: key }) => key)).toEqual(["correct", "cost"]);
    expect(family_size).toBe(2);
    const cost = comparisons[1];
    const [a, b] = [costsOf("a"), costsOf("b")];
    const shared = a.map((_, i) => i).filter((i) => a[i] !== null && b[i] !== null);
    const own = pairedDifference(
      shared.map((i) => a[i] ?? 0),
      shared.map((i) => b[i] ?? 0),
    );
    expect(cost).toMatchObject({
      path: null,
      value_type: "continuous",
      unit: "money",
      n_common: 19,
      n_missing_candidate: 1,
      method: "paired-t",
      verdict: "regressed",
    });
    expect(cost?.difference).toBeCloseTo(Math.abs(own.difference ?? 0), 12);
    expect(cost?.p_value ?? 0).toBeCloseTo(own.p_value ?? 1, 9);
    expect(cost?.confidence_interval?.[0]).toBeGreaterThan(0);
    expect(warnings.filter((one) => one.includes("cost"))).toEqual([
      '"b": left out: 1 row without a value in cost',
    ]);
  });

  it("is left out where nobody asks for it, and stays beside named scores", async () => {
    const plain = await engine.compareEvaluations(PROJECT, { baseline: "a", candidates: ["b"] });
    expect(plain.comparisons).toHaveLength(1);
    const named = await compare({ scorers: ["correct"], count_errors_as: 0 });
    expect(named.comparisons.map(({ scorer_key: key }) => key)).toEqual(["correct", "cost"]);
    const filtered = await compare({
      filters: [{ query: { $expr: { $gt: [{ $getField: "scores.cost" }, { $literal: 0.0005 }] } } }],
    });
    expect(filtered.comparisons[0]?.n_common).toBe(
      costsOf("b").filter(
        (_, i) => TOKENS["b"]?.[i]?.some((one) => one !== null && (one * 2 + 100) / 1e6 > 0.0005) === true,
      ).length,
    );
    await expect(compare({ corrected_by: { human: "correct" } })).rejects.toThrow("costs");
    const unknown = await compare({ prices: {} });
    expect(unknown.warnings).toContain('no price for the model "small": 77 trials have no cost');
  });

  it("leaves its name to a score, and is never the headline of a leaderboard unless it is named", async () => {
    const other = await openEngine();
    await other.ingestCalls([...run("a", "cost"), ...run("b", "cost")]);
    const { comparisons } = await other.compareEvaluations(PROJECT, {
      baseline: "a",
      candidates: ["b"],
      prices: PRICES,
    });
    expect(comparisons.map(({ scorer_key: key, path, unit }) => [key, path, unit])).toEqual([
      ["cost", null, undefined],
      ["evalcube", "cost", "money"],
    ]);
    await other.close();
    const board = await engine.leaderboard(PROJECT, { prices: PRICES });
    expect(board.dimensions[board.headline ?? 0]?.scorer_key).toBe("correct");
    const named = await engine.leaderboard(PROJECT, { prices: PRICES, scorers: ["cost"] });
    expect(named.dimensions[named.headline ?? 0]).toMatchObject({
      scorer_key: "cost",
      lower_is_better: true,
    });
    expect(named.entries[0]?.evaluation_call_id).toBe("a");
  });

  it("is beside the tokens in usage", async () => {
    const { summary } = await engine.queryEvalResults(PROJECT, {
      evaluation_call_ids: ["a", "b"],
      include_rows: false,
      include_summary: true,
      include_usage: true,
      prices: PRICES,
    });
    const known = costsOf("b").filter((one) => one !== null);
    expect(summary?.evaluations[1]?.usage?.cost?.mean).toBeCloseTo(
      known.reduce((sum, one) => sum + one, 0) / known.length,
      12,
    );
    expect(summary?.evaluations[1]?.usage?.cost?.known_count).toBe(19);
  });
});

describe("money", () => {
  it.each([
    [0.000864, "0.000864"],
    [0.00086449, "0.0008645"],
    [1e-9, "0.000000001"],
    [12.345, "12.35"],
    [1234.56, "1,235"],
    [0.5, "0.5"],
    [0, "0"],
    [-0.012, "−0.012"],
  ])("%d is %s", (amount, text) => {
    expect(moneyText(amount)).toBe(text);
  });
});
