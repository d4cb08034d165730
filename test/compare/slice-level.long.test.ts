import { describe, expect, it } from "vitest";
import type { Engine } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { loaded } from "../support/score-runs.ts";
import type { Random } from "../../src/stats/numeric/random.ts";
import { normal, SEED, simulationRandom } from "../support/simulation.ts";

const TOPICS = ["a", "b", "c", "d", "e", "f"];
const ROWS = 120;
const EXPERIMENTS_AT_ONCE = 100;

type Side = "base" | "next";

/** True in a share of the rows. */
const rate =
  (of: (topic: string, side: Side) => number) =>
  (topic: string, side: Side, random: Random): unknown =>
    random() < of(topic, side);

/** Two runs with a dimension an experiment, and the score that `draw` gives each row. */
async function simulate(
  name: string,
  experiments: number,
  draw: (topic: string, side: Side, random: Random) => unknown,
): Promise<readonly { readonly engine: Engine; readonly scorers: readonly string[] }[]> {
  const random = simulationRandom(name);
  const parts = [];
  for (let first = 0; first < experiments; first += EXPERIMENTS_AT_ONCE) {
    const numbers = Array.from(
      { length: Math.min(EXPERIMENTS_AT_ONCE, experiments - first) },
      (_, i) => first + i,
    );
    const calls = (["base", "next"] as const).flatMap((id) => [
      root(id),
      ...Array.from({ length: ROWS }, (_, i) => {
        const topic = TOPICS[i % TOPICS.length] ?? "";
        const scores = Object.fromEntries(numbers.map((one) => [`s${one}`, draw(topic, id, random)]));
        return trial(`${id}-${i}`, { i, topic }, scores, { parent_id: id });
      }),
    ]);
    parts.push({ engine: await loaded(calls), scorers: numbers.map((one) => `s${one}`) });
  }
  return parts;
}

/** The comparison of each experiment, an answer of its own. */
async function compareEach(parts: Awaited<ReturnType<typeof simulate>>) {
  const found = [];
  for (const { engine, scorers } of parts)
    for (const scorer of scorers) {
      const request = {
        baseline: "base",
        candidates: ["next"],
        scorers: [scorer],
        by: "inputs.topic",
      } as const;
      const { comparisons } = await engine.compareEvaluations(PROJECT, request);
      found.push(...comparisons);
    }
  return found;
}

describe(`slices of simulated projects (SEED=${SEED})`, () => {
  it("call a slice better or worse in at most 5 % of answers where there is no difference", async () => {
    const all = await compareEach(
      await simulate(
        "no difference",
        300,
        rate(() => 0.8),
      ),
    );
    const wrong = all.filter(({ slices }) => slices?.some(({ verdict }) => verdict !== "inconclusive"));
    expect(all).toHaveLength(300);
    expect(wrong.length).toBeLessThanOrEqual(15);
  });

  it("name no slice in 95 % of those that lost evenly", async () => {
    const all = await compareEach(
      await simulate(
        "evenly",
        100,
        rate((_, side) => (side === "base" ? 0.9 : 0.7)),
      ),
    );
    expect(all.filter(({ verdict }) => verdict === "regressed").length).toBeGreaterThan(70);
    expect(all.filter((one) => one.explained_by != null).length).toBeLessThanOrEqual(5);
  });

  for (const [what, draw] of [
    ["80 points of a rate", rate((topic, side) => (topic === "c" && side === "next" ? 0.15 : 0.95))],
    [
      "0.3 of a number",
      (topic, side, random) => 0.8 + 0.08 * normal(random) - (topic === "c" && side === "next" ? 0.3 : 0),
    ],
  ] as const satisfies readonly (readonly [string, Parameters<typeof simulate>[2]])[])
    it(`name the slice of 20 rows that lost ${what} in 80 % of answers, and no other`, async () => {
      const all = await compareEach(await simulate(what, 100, draw));
      const named = all.flatMap(({ explained_by: found }) => found?.value ?? []);
      expect(named.filter((value) => value === "c").length).toBeGreaterThanOrEqual(80);
      expect(named.filter((value) => value !== "c")).toEqual([]);
    });
});
