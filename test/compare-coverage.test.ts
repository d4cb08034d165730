import { describe, expect, it, onTestFinished } from "vitest";
import { openEngine } from "../src/index.ts";
import { seededRandom } from "../src/stats/random.ts";
import { PROJECT, root, trial } from "./support/records.ts";

describe("the verdicts of two runs of one model", () => {
  it("are wrong in 5 % of seeded experiments, clustered or not, and intervals hold 0 in 95 %", async () => {
    const random = seededRandom(77);
    const experiments = 150;
    const engine = await openEngine();
    onTestFinished(() => engine.close());
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    for (const [n, clusterSize] of [
      [20, 1],
      [80, 1],
      [120, 4],
    ] as const) {
      const name = `n${n}-${clusterSize}`;
      const scores = (side: string) =>
        Array.from({ length: experiments }, (_, k) => [`${side}${k}`, 0] as const);
      const effects = Array.from({ length: n }, () => scores("").map(() => normal()));
      const calls = ["x", "y"].flatMap((side) => [
        root(`${name}${side}`),
        ...Array.from({ length: n }, (_, i) =>
          trial(
            `${name}${side}${i}`,
            { n, i, group: Math.floor(i / clusterSize) },
            Object.fromEntries(
              Array.from({ length: experiments }, (_e, k) => [
                `k${k}`,
                (side === "x" && clusterSize > 1 ? (effects[Math.floor(i / clusterSize)]?.[k] ?? 0) : 0) +
                  normal(),
              ]),
            ),
            { parent_id: `${name}${side}` },
          ),
        ),
      ]);
      await engine.ingestCalls(calls);
      const { comparisons } = await engine.compareEvaluations(PROJECT, {
        baseline: `${name}x`,
        candidates: [`${name}y`],
        adjust: "none",
        ...(clusterSize === 1 ? {} : { cluster_by: "inputs.group" }),
      });
      const wrong = comparisons.filter((one) => one.verdict !== "inconclusive").length / experiments;
      const holds = comparisons.filter(
        ({ confidence_interval: found }) => found !== null && found[0] <= 0 && 0 <= found[1],
      ).length;
      expect(comparisons).toHaveLength(experiments);
      // 95 % and three standard errors of the simulation.
      const spread = 3 * Math.sqrt((0.95 * 0.05) / experiments);
      expect(Math.abs(holds / experiments - 0.95)).toBeLessThan(spread);
      expect(wrong).toBeLessThan(0.05 + spread);
    }
  }, 60_000);
});
