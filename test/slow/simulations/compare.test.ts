import { describe, expect, it, onTestFinished } from "vitest";
import { openEngine, type Comparison } from "../../../src/index.ts";
import { PROJECT } from "../../support/records.ts";
import {
  dimensions,
  holds,
  normal,
  SEED,
  share,
  simulatedRun,
  simulationRandom,
  spread,
} from "../../support/simulation.ts";

const CANDIDATES = 40;
const DIMENSIONS = 10;
const EXPERIMENTS = CANDIDATES * DIMENSIONS;
const SIZES = [20, 60, 200, 500];
const BASELINE = "baseline";

/** Rows that share an effect; no fewer than ten such clusters. */
const groupOf = (rows: number, row: number) => Math.floor(row / Math.min(4, rows / 10));

const level = (row: number) => dimensions(DIMENSIONS, () => row % 7);

/** Pairs of candidates whose passes are compared. */
const PAIRS = 10;

/**
 * Candidates that differ from the baseline by chance alone. The baseline's numbers have no chance in them, so that
 * experiments that share it are independent. Passes have chance on both sides, so candidates are paired for these.
 */
async function simulate(rows: number) {
  const random = simulationRandom(`compare ${rows}`);
  const engine = await openEngine();
  onTestFinished(() => engine.close());
  const group = (row: number) => ({ group: groupOf(rows, row) });
  const passes = () => dimensions(DIMENSIONS, () => random() < 0.5);
  await engine.ingestCalls(
    simulatedRun(BASELINE, rows, group, (row) => ({
      number: level(row),
      shared: level(row),
    })),
  );
  const candidates = Array.from({ length: CANDIDATES }, (_, i) => `candidate-${i}`);
  for (const candidate of candidates) {
    const effects = Array.from({ length: groupOf(rows, rows - 1) + 1 }, () =>
      dimensions(DIMENSIONS, () => normal(random)),
    );
    await engine.ingestCalls(
      simulatedRun(candidate, rows, group, (row) => ({
        number: dimensions(DIMENSIONS, () => (row % 7) + normal(random)),
        shared: dimensions(
          DIMENSIONS,
          (k) => (row % 7) + (effects[groupOf(rows, row)]?.[`k${k}`] ?? 0) + normal(random),
        ),
        passes: passes(),
      })),
    );
  }
  const ask = async (scorer: string, baseline: string, others: string[], cluster: object) => {
    const shared = { scorers: [scorer], adjust: "none" as const, ...cluster };
    const request = { baseline, candidates: others, ...shared };
    const { comparisons } = await engine.compareEvaluations(PROJECT, request);
    expect(comparisons).toHaveLength(others.length * DIMENSIONS);
    return comparisons;
  };
  const compare = (scorer: string, cluster = {}) => ask(scorer, BASELINE, candidates, cluster);
  const comparePasses = async () => {
    const all: Comparison[] = [];
    for (let i = 0; i < 2 * PAIRS; i += 2) {
      const [one = "", other = ""] = candidates.slice(i);
      all.push(...(await ask("passes", one, [other], {})));
    }
    return all;
  };
  return {
    "independent rows": await compare("number"),
    "rows that share an effect": await compare("shared", { cluster_by: "inputs.group" }),
    "passes and failures": await comparePasses(),
    ignored: await compare("shared"),
  };
}

const coverageOf = (all: readonly Comparison[]) => share(all.map((one) => holds(one.confidence_interval, 0)));
const wrongOf = (all: readonly Comparison[]) => share(all.map((one) => one.verdict !== "inconclusive"));

describe(`comparisons where only chance differs, ${EXPERIMENTS} simulated for each size (SEED=${SEED})`, () => {
  it("have intervals that hold 0 in 93 to 97 %, and wrong verdicts in at most 5 %", async () => {
    const pooled = new Map<string, Comparison[]>();
    for (const rows of SIZES) {
      const { ignored, ...found } = await simulate(rows);
      expect(wrongOf(ignored), `clusters ignored, ${rows} rows`).toBeGreaterThan(0.1);
      for (const [kind, comparisons] of Object.entries(found)) {
        pooled.set(kind, [...(pooled.get(kind) ?? []), ...comparisons]);
        const [covered, wrong] = [coverageOf(comparisons), wrongOf(comparisons)];
        const name = `${kind}, ${rows} rows: ${covered} hold 0, ${wrong} wrong`;
        expect(Math.abs(covered - 0.95), name).toBeLessThan(spread(comparisons.length));
        expect(wrong, name).toBeLessThan(0.05 + spread(comparisons.length));
      }
    }
    for (const [kind, all] of pooled) {
      const found = `${kind}: ${coverageOf(all)} of ${all.length} hold 0, ${wrongOf(all)} wrong`;
      // 5 % and two standard errors of the simulation: t is right in exactly 95 %.
      expect(wrongOf(all), found).toBeLessThanOrEqual(0.05 + (2 / 3) * spread(all.length));
      expect(coverageOf(all), found).toBeGreaterThanOrEqual(0.93);
      expect(coverageOf(all), found).toBeLessThanOrEqual(0.97);
    }
  }, 300_000);
});
