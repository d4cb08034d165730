import { describe, expect, it } from "vitest";
import { measureUsage } from "../../bench/levels/usage.ts";
import { usageTests, type UsageByRow } from "../../src/cli/gates/paired-usage.ts";
import { parseCiGates, parseGates } from "../../src/cli/gates/parse-gate.ts";
import { holm, pairedDifference } from "../../src/stats/index.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";

const SEED = Number(process.env["SEED"] ?? 42);

function used(random: () => number, known: number): UsageByRow {
  return new Map(
    Array.from({ length: 30 }, (_, i) => {
      const [cost = null, latency = null, tokens = null] = [1, 2, 3].map(() =>
        random() < known ? random() : null,
      );
      return [String(i), { cost, latency, tokens }] as const;
    }),
  );
}

describe(`gates on how much more is used (SEED=${SEED})`, () => {
  it("are a family of paired tests over the rows that both sides know, in the one direction", () => {
    const random = seededRandom(SEED);
    const pairs = [0, 1].map(() => ({ baseline: used(random, 0.9), candidate: used(random, 0.8) }));
    const gates = parseGates(["cost>10%", "tokens>5%", "latency>2", "latency>20% point"]);
    const own = gates.filter((gate) => gate.kind === "usage").slice(0, 2);
    const tests = own.flatMap(({ name }) =>
      pairs.map(({ baseline, candidate }) => {
        const both = [...candidate].flatMap(([row, one]) => {
          const [now, before] = [one[name], baseline.get(row)?.[name] ?? null];
          return now === null || before === null ? [] : [[now, before] as const];
        });
        return pairedDifference(
          both.map(([now]) => now),
          both.map(([, before]) => before),
        );
      }),
    );
    const adjusted = holm(tests.flatMap(({ p_value: p }) => p ?? []));
    const pOf = usageTests(parseCiGates(["flaky>2%", "regressed"]).concat(gates), pairs);
    for (const [g, gate] of own.entries())
      for (const [i, pair] of pairs.entries()) {
        const at = 2 * g + i;
        const isMore = (tests[at]?.difference ?? 0) > 0;
        expect(pOf(gate, pair)).toBeCloseTo(isMore ? (adjusted[at] ?? NaN) : 1, 12);
      }
  });

  it("know nothing of fewer than two rows", () => {
    const one: UsageByRow = new Map([["a", { cost: 1, latency: null, tokens: 2 }]]);
    const gate = parseGates(["cost>1%"]).find((own) => own.kind === "usage");
    const pair = { baseline: one, candidate: one };
    expect(gate === undefined ? 0 : usageTests([gate], [pair])(gate, pair)).toBeNull();
  });

  // Chance alone moves one of three figures upwards nearly always.
  it("are met by chance in 5 % together, and by a half more nearly always", () => {
    const { shown, point } = measureUsage({ rows: 100, more: 0, pairs: 400, seed: SEED });
    expect(shown).toBeLessThanOrEqual(0.07);
    expect(point).toBeGreaterThan(0.7);
    expect(measureUsage({ rows: 100, more: 0.5, pairs: 100, seed: SEED }).shown).toBeGreaterThan(0.95);
  });
});
