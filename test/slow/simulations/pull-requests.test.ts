import { expect, it } from "vitest";
import { judge } from "../../../src/cli/ci/ci.ts";
import type { Suite } from "../../../src/cli/ci/suite.ts";
import { parseCiGates } from "../../../src/cli/gates/parse-gate.ts";
import type { Random } from "../../../src/stats/numeric/random.ts";
import { SEED, simulationRandom } from "../../support/simulation.ts";

const PULL_REQUESTS = 200;
const [ROWS, TRIALS] = [300, 3];
const RATES = [0.5, 0.6, 0.7, 0.8, 0.9];
const NO_FIGURE = { value: null, known: 0 };

/** An evaluation whose rows pass with these chances. */
function suite(chances: readonly number[], random: Random): Suite {
  return {
    id: "qa",
    name: "qa",
    model: null,
    file: null,
    commit: null,
    branch: null,
    dataset: null,
    scorers: {},
    directions: {},
    references: { model: null, dataset: null, scorers: {} },
    figures: { cost: NO_FIGURE, latency: NO_FIGURE, tokens: NO_FIGURE },
    usage: { cost: [], latency: [], tokens: [] },
    rows: chances.map((_, i) => i.toString(16).padStart(32, "0")),
    contents: chances.map(() => null),
    keys: new Map(),
    clusters: null,
    errors: chances.map(() => Array.from({ length: TRIALS }, () => false)),
    scores: [
      {
        path: ["correct"],
        binary: true,
        values: chances.map((chance) => Array.from({ length: TRIALS }, () => random() < chance)),
      },
    ],
  };
}

/** How many pull requests whose rates are lower by `loss` are blocked by `regressed`. */
async function blocked(name: string, loss: number): Promise<number> {
  const random = simulationRandom(name);
  let count = 0;
  for (let i = 0; i < PULL_REQUESTS; i++) {
    const rate = RATES[i % RATES.length] ?? 0;
    // Rows of unequal difficulty, whose mean is the rate, and of which none is certain.
    const spread = Math.min(rate - loss, 1 - rate);
    const chances = Array.from({ length: ROWS }, () => rate + (2 * random() - 1) * spread);
    const baseline = suite(chances, random);
    const candidate = suite(
      chances.map((chance) => chance - loss),
      random,
    );
    const { gates } = await judge(
      [candidate],
      new Set(),
      { place: "here", suites: [baseline], notes: [] },
      parseCiGates(["regressed"]),
      { request: {}, flagged: [] },
      new AbortController().signal,
    );
    if (gates.some(({ reasons }) => reasons.length > 0)) count++;
  }
  return count;
}

it(`blocks at most 10 of 200 pull requests without a change (seed ${SEED})`, async () => {
  const count = await blocked("no change", 0);
  process.stdout.write(`seed ${SEED}: ${count} of ${PULL_REQUESTS} without a change are blocked\n`);
  expect(count).toBeLessThanOrEqual(10);
});

it(`blocks at least 160 of 200 pull requests with a loss of 10 points (seed ${SEED})`, async () => {
  const count = await blocked("loss", 0.1);
  process.stdout.write(`seed ${SEED}: ${count} of ${PULL_REQUESTS} with a loss of 10 points are blocked\n`);
  expect(count).toBeGreaterThanOrEqual(160);
});
