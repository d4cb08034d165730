import { seededRandom, type Random } from "../../src/stats/numeric/random.ts";
import type { Interval } from "../../src/stats/index.ts";
import { root, trial } from "./records.ts";

/** The default of every simulation; another can be given to see that none depends on it. */
export const SEED = Number(process.env["SEED"] ?? 2024);

export function simulationRandom(name: string): Random {
  const salt = Buffer.from(name).reduce((sum, byte) => (sum * 31 + byte) % 1_000_003, 7);
  return seededRandom(SEED * 1_000_003 + salt);
}

export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

export function holds(interval: Interval | null | undefined, truth: number): boolean {
  return interval != null && interval[0] <= truth && truth <= interval[1];
}

/** The calls of an evaluation; `scores` gives those of one trial of a row. */
export function simulatedRun(
  id: string,
  rows: number,
  example: (row: number) => object,
  scores: (row: number) => Readonly<Record<string, unknown>>,
): object[] {
  return [
    root(id),
    ...Array.from({ length: rows }, (_, row) =>
      trial(`${id}-${row}`, { rows, row, ...example(row) }, scores(row), { parent_id: id }),
    ),
  ];
}

/** One value for each of `count` experiments, as score dimensions of a scorer. */
export function dimensions<Value>(count: number, draw: (experiment: number) => Value): Record<string, Value> {
  return Object.fromEntries(Array.from({ length: count }, (_, k) => [`k${k}`, draw(k)]));
}

export const share = (outcomes: readonly boolean[]): number =>
  outcomes.filter(Boolean).length / outcomes.length;

/** Three standard errors of a simulation of so many experiments of which 95 % come true. */
export const spread = (experiments: number): number => 3 * Math.sqrt((0.95 * 0.05) / experiments);
