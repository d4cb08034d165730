import { describe, expect, it } from "vitest";
import type { CompareRequest } from "../../src/index.ts";
import { conclusionLines, comparedSides } from "../../src/words/comparison-words.ts";
import { comparisonTable } from "../../src/cli/tables/comparison-tables.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { pairedRatesAbove, pairedRatesBounds } from "../../src/stats/tests/paired-rates.ts";
import { tost } from "../../src/stats/index.ts";
import { PROJECT } from "../support/records.ts";
import { loaded, run } from "../support/score-runs.ts";

const SEED = Number(process.env["SEED"] ?? 42);
const random = seededRandom(SEED);
const ALPHA = 1 - 0.95;

const close = (value: number | null) => expect.closeTo(value ?? NaN, 12) as number;
const grouped = (i: number) => ({ i, group: i % 12 });
const topic = (row: number) => ({ row, topic: row % 2 });

/** A baseline that is always right but on `gained` rows, against a candidate that loses `lost` of them. */
function rates(n: number, lost: number, gained = 0) {
  const baseline = Array.from({ length: n }, (_, i) => i >= gained);
  return { baseline, candidate: baseline.map((_, i) => i < gained || i >= gained + lost) };
}

async function compare(
  { baseline, candidate }: { baseline: readonly unknown[]; candidate: readonly unknown[] },
  asked: Partial<CompareRequest>,
  rowOf?: (i: number) => unknown,
) {
  const engine = await loaded([...run("small", baseline, rowOf), ...run("large", candidate, rowOf)]);
  const request = { baseline: "small", candidates: ["large"], ...asked };
  const answer = await engine.compareEvaluations(PROJECT, request);
  const sides = comparedSides(answer);
  const names = new Map(
    sides.flatMap(
      (one) =>
        [
          [one.baseline, "small"],
          [one.candidate, "large"],
        ] as const,
    ),
  );
  const compared = { answer, request, sides, names };
  const [first] = answer.comparisons;
  return { answer, first, compared, lines: conclusionLines(compared) };
}

describe(`against a margin (SEED=${SEED})`, () => {
  it("pairs of true and false are claimed by Tango's score, and say so", async () => {
    const { first, lines } = await compare(rates(200, 4, 1), { margin: 0.05 });
    const [above, below] = [pairedRatesAbove(1, 4, 200, -0.05), pairedRatesAbove(4, 1, 200, -0.05)];
    expect(first).toMatchObject({
      equivalence_p_value: Math.max(above, below),
      equivalence_p_value_adjusted: Math.max(above, below),
      equivalence_interval: pairedRatesBounds(1, 4, 200, ALPHA),
      not_worse: true,
      not_worse_p_value: above,
      not_worse_p_value_adjusted: above,
      worst_loss: -(pairedRatesBounds(1, 4, 200, ALPHA)?.[0] ?? NaN),
      verdict: "equivalent",
    });
    expect(lines.join("\n")).toBe(
      [
        "large is as good as small in score.",
        "  ≈ 98.0% against 99.5%: −1.5 points (90% interval −4.3 to +0.9, p = 0.22, 200 shared rows). That is within ±5.0 points.",
        "  ≈ large is at most 4.3 points worse than small (95%).",
      ].join("\n"),
    );
  });

  it("nothing is claimed without one", async () => {
    const { first } = await compare(rates(200, 4, 1), {});
    const members = new Set(["equivalence_p_value", "equivalence_interval", "not_worse", "worst_loss"]);
    expect(Object.keys(first ?? {}).filter((name) => members.has(name))).toEqual([]);
  });

  it("a loss within it is not worse, and what is unknown is neither", async () => {
    const lost = await compare(rates(1000, 20), { margin: 0.05 });
    expect(lost.first).toMatchObject({ verdict: "regressed", not_worse: true });
    expect(lost.lines.at(-1)).toMatch(/large is at most 2\.9 points worse than small \(95%\)\.$/);
    const few = await compare(rates(30, 2), { margin: 0.05 });
    expect(few.first).toMatchObject({ verdict: "inconclusive", not_worse: false });
    expect(few.lines.join()).not.toContain("at most");
    const better = await compare(rates(100, 0, 20), { margin: 0.05 });
    expect(better.first).toMatchObject({ verdict: "improved", not_worse: true, worst_loss: 0 });
    expect(better.lines.join()).not.toContain("at most");
  });

  it("numbers are claimed by Student's t, and lower may be better", async () => {
    const d = Array.from({ length: 40 }, () => 0.05 + random() * 0.2);
    const sides = { baseline: d.map(() => 2), candidate: d.map((one) => 2 + one) };
    const { p_lower, p_upper, p_value } = tost(d, { margin: 0.3 });
    const higher = await compare(sides, { margin: 0.3, higher_is_better: ["score"] });
    expect(higher.first).toMatchObject({
      equivalence_p_value: close(p_value),
      not_worse_p_value: close(p_lower),
      worst_loss: 0,
    });
    const lower = await compare(sides, { margin: 0.3, lower_is_better: ["score"] });
    expect(lower.first).toMatchObject({ not_worse_p_value: close(p_upper), not_worse: true });
    expect(lower.first?.worst_loss).toBe(lower.first?.equivalence_interval?.[1]);
    const unsaid = await compare(sides, { margin: 0.3 });
    expect(unsaid.first).toMatchObject({ not_worse: null, not_worse_p_value: null, worst_loss: null });
    expect(unsaid.first?.equivalence_p_value).toBe(higher.first?.equivalence_p_value);
  });

  it("rates of 0 and 1 are as true and false, clusters and trials by their own test", async () => {
    const { baseline, candidate } = rates(120, 3, 1);
    const asked = { margin: 0.08 };
    const rated = await compare({ baseline: baseline.map(Number), candidate: candidate.map(Number) }, asked);
    const plain = await compare({ baseline, candidate }, asked);
    expect(rated.first?.equivalence_p_value).toBe(plain.first?.equivalence_p_value);
    const clustered = await compare(
      { baseline, candidate },
      { ...asked, cluster_by: "inputs.group" },
      grouped,
    );
    expect(clustered.first?.method).toBe("clustered-t");
    expect(clustered.first?.equivalence_p_value).not.toBe(plain.first?.equivalence_p_value);
    expect(clustered.first?.equivalence_interval).not.toBeNull();
  });

  it("claims are adjusted for each other, at the level of the comparison", async () => {
    const { baseline, candidate } = rates(200, 4, 1);
    const calls = [...run("small", baseline), ...run("large", candidate), ...run("other", baseline)];
    const engine = await loaded(calls);
    const request = { baseline: "small", candidates: ["large", "other"], margin: 0.05 };
    const found = await engine.compareEvaluations(PROJECT, request);
    const [own, other] = found.comparisons;
    // The copy has the smaller p value of the two.
    expect(own?.not_worse_p_value_adjusted).toBe(own?.not_worse_p_value);
    expect(other?.not_worse_p_value_adjusted).toBe(2 * (other?.not_worse_p_value ?? NaN));
    expect(own?.equivalence_interval).toEqual(pairedRatesBounds(1, 4, 200, ALPHA / 2));
    const plain = await engine.compareEvaluations(PROJECT, { ...request, adjust: "none" });
    expect(plain.comparisons[0]?.equivalence_interval).toEqual(pairedRatesBounds(1, 4, 200, ALPHA));
  });

  it("no line says as good as beside an interval that leaves the margin", async () => {
    for (let i = 0; i < 8; i++) {
      const n = 60 + Math.floor(140 * random());
      const [lost, gained] = [Math.floor(6 * random()), Math.floor(4 * random())];
      const { baseline, candidate } = rates(n, lost, gained);
      const calls = [
        ...run("small", baseline, topic),
        ...run("large", candidate, topic),
        ...run("x", baseline, topic),
      ];
      const engine = await loaded(calls);
      const margin = 0.05 + 0.1 * random();
      const request = { baseline: "small", candidates: ["large", "x"], margin, by: "inputs.topic" } as const;
      const answer = await engine.compareEvaluations(PROJECT, request);
      const sides = comparedSides(answer);
      const compared = { answer, request, sides, names: new Map<string, string>() };
      const text = comparisonTable(compared, { width: null, colour: false, most: null });
      const claims = text.split("\n").filter((line) => line.includes("as good"));
      for (const line of claims)
        for (const [, low = "", high = ""] of line.matchAll(/([−+]?[\d.]+) to ([−+]?[\d.]+) \(90%/g))
          for (const end of [low, high])
            expect(Math.abs(Number(end.replace("−", "-"))), `${line} (margin ${margin})`).toBeLessThan(
              100 * margin + 0.051,
            );
      expect(claims.filter((line) => / to /.test(line) && !line.includes("(90%"))).toEqual([]);
    }
  });
});
