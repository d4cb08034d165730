import { adjustingBy, compareAll } from "../../src/respond/compare/compare-all.ts";
import { toolsAnswer } from "../../src/respond/steps/tools-answer.ts";
import { addCall, addTrial, emptyTally } from "../../src/respond/steps/tools.ts";
import { ratioInterval, type RatioOfSums } from "../../src/stats/estimates/ratio.ts";
import { seededRandom, type Random } from "../../src/stats/numeric/random.ts";
import { normal } from "./designs.ts";
import { inputOf } from "./measure.ts";
import { pairSumsOf } from "./pair-sums.ts";

const logistic = (x: number) => 1 / (1 + Math.exp(-x));
const listOf = <Item>(length: number, make: (i: number) => Item): Item[] =>
  Array.from({ length }, (_, i) => make(i));

interface Tools {
  readonly rows: number;
  readonly trials: number;
  readonly tools: number;
  readonly projects: number;
  readonly seed: number;
}

const CALL = { isRepeated: false, errorType: null, microseconds: null } as const;

/** Share of answers that name a tool, where no error has to do with success; rows differ in both. */
export async function measureTools({ rows, trials, tools, projects, seed }: Tools): Promise<number> {
  const random = seededRandom(seed);
  let wrong = 0;
  for (let project = 0; project < projects; project++) {
    const tried = listOf(rows, (row) => {
      const chance = logistic(0.5 + 1.5 * normal(random));
      const fails = listOf(tools, () => logistic(-1 + 1.5 * normal(random)));
      return listOf(trials, () => {
        const called = fails.flatMap((rate, tool) =>
          random() < 0.7 ? [{ tool, failed: random() < rate }] : [],
        );
        const steps = called.map(({ tool, failed }) => ({ ...CALL, name: `tool ${tool}`, failed }));
        return { rowDigest: String(row), passed: random() < chance, steps };
      });
    });
    const tally = emptyTally();
    for (const { steps, ...trial } of tried.flat()) {
      for (const call of steps) addCall(tally, call);
      addTrial(tally, trial, 0);
    }
    const options = {
      success: "correct",
      confidence: 0.95,
      adjust: "holm",
      limit: tools,
      offset: 0,
    } as const;
    const { evaluations } = await toolsAnswer([{ id: "run", label: "run", tally }], options, undefined);
    if (evaluations.some((one) => one.tools.some(({ association }) => association !== "not_shown"))) wrong++;
  }
  return wrong / projects;
}

interface Costs {
  readonly rows: number;
  readonly trials: number;
  readonly rate: number;
  readonly projects: number;
  readonly seed: number;
}

interface RowTotals {
  readonly quantity: number;
  readonly successes: number;
}

/** The sums of an interval of what a success takes, as the engine reads them. */
export function ratioOfRows(rows: readonly RowTotals[]): RatioOfSums {
  const total = rows.reduce((all, row) => all + row.quantity, 0);
  const passed = rows.reduce((all, row) => all + row.successes, 0);
  const apart = rows.reduce((all, row) => all + (row.quantity / total - row.successes / passed) ** 2, 0);
  const succeeded = rows.filter(({ successes }) => successes > 0).length;
  return { ratio: total / passed, apart, rows: rows.length, succeeded };
}

/** A row: harder ones cost more, and so do trials that fail. */
function rowTotals(random: Random, trials: number, rate: number): RowTotals {
  const hard = normal(random);
  const chance = logistic(Math.log(rate / (1 - rate)) - hard);
  const passed = listOf(trials, () => random() < chance);
  const costs = passed.map((one) => Math.exp(0.5 * hard + 0.5 * normal(random)) * (one ? 1 : 1.5));
  return { quantity: costs.reduce((all, cost) => all + cost, 0), successes: passed.filter(Boolean).length };
}

const TRUE_ROWS = 400_000;

/** How often the interval of the cost of a success holds the truth, of those that there are. */
export function measureCosts({ rows, trials, rate, projects, seed }: Costs): number {
  const random = seededRandom(seed);
  const drawn = listOf(TRUE_ROWS, () => rowTotals(random, 1, rate));
  const total = (of: (row: RowTotals) => number) => drawn.reduce((all, row) => all + of(row), 0);
  const truth = total(({ quantity }) => quantity) / total(({ successes }) => successes);
  const found = listOf(projects, () =>
    ratioInterval(ratioOfRows(listOf(rows, () => rowTotals(random, trials, rate)))),
  );
  const intervals = found.filter((one) => one !== null);
  return intervals.filter(([low, high]) => low <= truth && truth <= high).length / intervals.length;
}

interface Thirds {
  readonly rows: number;
  readonly trials: number;
  /** Whose steps make the slices. */
  readonly by: "baseline" | "earlier";
  readonly projects: number;
  readonly seed: number;
}

/** Share of projects with two equal agents in which a third of the rows is called better or worse. */
export async function measureThirds({ rows, trials, by, projects, seed }: Thirds): Promise<number> {
  const random = seededRandom(seed);
  let wrong = 0;
  for (let project = 0; project < projects; project++) {
    const hard = listOf(rows, () => normal(random));
    const run = () =>
      hard.map((one) => {
        const passed = listOf(trials, () => random() < logistic(0.5 - one));
        // A trial that fails takes longer.
        const steps = passed.map((isPassed) => 8 + one + normal(random) + (isPassed ? 0 : 6));
        return { score: meanOf(passed.map(Number)), steps: meanOf(steps) };
      });
    const [baseline, candidate, earlier] = [run(), run(), run()];
    const sorting = (by === "baseline" ? baseline : earlier).map(({ steps }) => steps);
    const slices = sorting.map((own) => Math.floor((3 * sorting.filter((one) => one < own).length) / rows));
    const inputs = [0, 1, 2].map((slice) => {
      const of = (side: typeof baseline) =>
        side.filter((_, row) => slices[row] === slice).map(({ score }) => score);
      return inputOf(
        "candidate",
        pairSumsOf(of(baseline), of(candidate), { trials, clusters: null }),
        trials === 1,
      );
    });
    const options = { confidence: 0.95, margin: null, adjusting: adjustingBy("holm", 0.95), alone: null };
    const { comparisons } = await compareAll(inputs, options, undefined);
    if (comparisons.some(({ verdict }) => verdict !== "inconclusive")) wrong++;
  }
  return wrong / projects;
}

const meanOf = (values: readonly number[]) => values.reduce((all, value) => all + value, 0) / values.length;
