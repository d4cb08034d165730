import { kappaInterval } from "../../src/stats/agreement/kappa.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";

interface Labels {
  readonly labels: number;
  /** How often each of the two says true. */
  readonly rate: number;
  readonly kappa: number;
  readonly runs: number;
  readonly seed: number;
}

/** The share of runs in which the lower limit is above the true kappa. */
export function measureKappa({ labels, rate, kappa, runs, seed }: Labels): number {
  const random = seededRandom(seed);
  const apart = (1 - kappa) * rate * (1 - rate);
  let above = 0;
  for (let run = 0; run < runs; run++) {
    const counts = [0, 0, 0, 0];
    for (let i = 0; i < labels; i++) {
      const u = random();
      const cell = u < rate - apart ? 0 : u < rate ? 1 : u < rate + apart ? 2 : 3;
      counts[cell] = (counts[cell] ?? 0) + 1;
    }
    const [a = 0, b = 0, c = 0, d = 0] = counts;
    const [low = -1] =
      kappaInterval([
        [a, b],
        [c, d],
      ]) ?? [];
    if (low > kappa) above++;
  }
  return above / runs;
}
