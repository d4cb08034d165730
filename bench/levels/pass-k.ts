import { passKOf } from "../../src/respond/summary/pass-k.ts";
import type { RowSample } from "../../src/plan/results.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { normal } from "./designs.ts";

interface PassK {
  readonly rows: number;
  readonly trials: number;
  readonly k: number;
  /** The chance of a pass in a row of usual difficulty. */
  readonly rate: number;
  /** How much rows differ, in log odds. */
  readonly spread: number;
  readonly runs: number;
  readonly seed: number;
}

/** The share of runs in which the interval of pass^k holds its true value, over all rows that there could be. */
export function measurePassK({ rows, trials, k, rate, spread, runs, seed }: PassK): number {
  const random = seededRandom(seed);
  const centre = Math.log(rate / (1 - rate));
  const chanceAt = (z: number) => 1 / (1 + Math.exp(-centre - spread * z));
  let [truth, weight] = [0, 0];
  for (let z = -8; z <= 8; z += 0.02) {
    const density = Math.exp((-z * z) / 2);
    truth += density * chanceAt(z) ** k;
    weight += density;
  }
  truth /= weight;
  let held = 0;
  for (let run = 0; run < runs; run++) {
    const tallies = Array.from({ length: rows }, () => {
      const chance = chanceAt(normal(random));
      const total = Array.from({ length: trials }, () => random()).filter((one) => one < chance).length;
      return { trials, total, rows: 1 };
    });
    const found = passKOf({ tallies, zeroOne: true } as unknown as RowSample, [k]);
    const [low = 1, high = 0] = found?.pass_hat_k_confidence_interval[k] ?? [];
    if (low <= truth && truth <= high) held++;
  }
  return held / runs;
}
