/*
 * Prints how often the slice of six is named in which true/false answers got worse: `npx tsx bench/levels/slices.ts [--projects 1000]`.
 */
import { parseArgs } from "node:util";
import { adjustingBy, compareAll } from "../../src/respond/compare/compare-all.ts";
import { sliceAll } from "../../src/respond/compare/slice-all.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { inputOf } from "./measure.ts";
import { pairSumsOf } from "./pair-sums.ts";

const { values } = parseArgs({ options: { projects: { type: "string", default: "1000" } } });
const projects = Number(values.projects);
const SLICES = 6;
const LOST = 2;

interface Design {
  /** Chance of a right answer before. */
  readonly rate: number;
  readonly loss: number;
  /** Rows of a slice, and trials of a row. */
  readonly rows: number;
  readonly trials: number;
}

const DESIGNS: readonly Design[] = [
  { rate: 0.9, loss: 0.3, rows: 20, trials: 1 },
  { rate: 0.9, loss: 0.3, rows: 20, trials: 4 },
  { rate: 0.9, loss: 0.3, rows: 20, trials: 8 },
  { rate: 0.9, loss: 0.3, rows: 100, trials: 1 },
  { rate: 1, loss: 0.3, rows: 20, trials: 1 },
  { rate: 1, loss: 0.3, rows: 40, trials: 1 },
  { rate: 0.95, loss: 0.8, rows: 20, trials: 1 },
];

const options = { confidence: 0.95, margin: null, adjust: "holm", times: 1 } as const;
const choice = {
  slicing: { fields: ["inputs.topic"], slice_count: SLICES, overlapping: false, others: [] },
  values: Array.from({ length: SLICES }, (_, i) => [i]),
};

const print = (cells: readonly string[]): void => void process.stdout.write(`| ${cells.join(" | ")} |\n`);

const HEAD = [
  "right before",
  "rows a slice",
  "trials a row",
  "lost in one slice",
  "whole shown worse",
  "slice named",
  "another",
];
print(HEAD);
print(HEAD.map(() => "---:"));
for (const { rate, loss, rows, trials } of DESIGNS) {
  const random = seededRandom(20_261_127);
  let [worse, named, others] = [0, 0, 0];
  for (let project = 0; project < projects; project++) {
    const draw = (chance: number): number =>
      Array.from({ length: trials }, () => random()).filter((one) => one < chance).length / trials;
    const sides = Array.from({ length: SLICES * rows }, (_, row) => ({
      before: draw(rate),
      after: draw(row % SLICES === LOST ? rate - loss : rate),
    }));
    const sumsOf = (some: typeof sides) =>
      pairSumsOf(
        some.map(({ before }) => before),
        some.map(({ after }) => after),
        { trials, clusters: null },
      );
    const input = inputOf("candidate", sumsOf(sides), true);
    const adjusting = adjustingBy("holm", options.confidence);
    const { comparisons } = await compareAll([input], { ...options, adjusting, alone: null }, undefined);
    const wholes = comparisons.map((comparison) => ({
      comparison,
      input,
      sums: (_: number, slice: number) => sumsOf(sides.filter((_side, row) => row % SLICES === slice)),
      withField: () => sides.length,
    }));
    const [found] = (await sliceAll(wholes, [choice], options, undefined)).comparisons;
    if (found?.verdict === "regressed") worse += 1;
    const value = found?.explained_by?.value[0];
    if (value === LOST) named += 1;
    else if (value !== undefined) others += 1;
  }
  const shares = [worse, named, others].map((count) => `${((100 * count) / projects).toFixed(1)} %`);
  print([`${rate * 100} %`, String(rows), String(trials), `${loss * 100} points`, ...shares]);
}
