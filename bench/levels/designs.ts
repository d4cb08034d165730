/** Draws uniform numbers between 0 and 1. */
export type Random = () => number;

/** The row values of one evaluation; null without a value. */
export type Values = readonly (number | null)[];

/** A project: every evaluation ran on the same rows. */
export interface Project {
  readonly evaluations: readonly Values[];
  /** Most trials of a row. */
  readonly trials: number;
  readonly clusters: readonly number[] | null;
}

/** How a candidate differs from the baseline: by the mean, 0 where it does not. */
type Effects = readonly number[];

/** A way in which data come about. */
export interface Design {
  readonly name: string;
  readonly rows: number;
  /** Whether values are true and false. */
  readonly binary: boolean;
  readonly project: (random: Random, effects: Effects) => Project;
}

/** A standard normal number. */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

interface Rates {
  readonly name: string;
  readonly rows: number;
  /** Mean chance of a pass, and how much rows differ in difficulty (standard deviation of log odds). */
  readonly rate: number;
  readonly spread?: number;
  /** The number of trials of a row in an evaluation. */
  readonly repeats?: (random: Random) => number;
  /** The chance that a row has no value in an evaluation, by the chance of a pass. */
  readonly missing?: (rate: number) => number;
  /** The cluster of each row; rows of one share their difficulty and how models do on it. */
  readonly clusters?: readonly number[];
}

/** How much models differ on a cluster beside its difficulty, in log odds. */
const SKILL = 1.5;

const logistic = (x: number): number => 1 / (1 + Math.exp(-x));

/** True and false. Where the effect is negative, passes fail with some chance; where it is positive, failures pass. */
export function rates({ name, rows, rate, spread = 1.5, repeats, missing, clusters }: Rates): Design {
  const all = clusters === undefined ? spread : Math.hypot(spread, SKILL);
  const centre = centreOf(rate, all);
  // The rate on rows with a value, on which evaluations are compared.
  const weight = (chance: number) => (1 - (missing?.(chance) ?? 0)) ** 2;
  const present = centred(centre, all, (chance) => chance * weight(chance)) / centred(centre, all, weight);
  return {
    name,
    rows,
    binary: true,
    project: (random, effects) => {
      const shared = Array.from({ length: rows }, () => normal(random));
      let trials = 1;
      const evaluations = effects.map((effect) => {
        const own = Array.from({ length: rows }, () => normal(random));
        const flip = effect < 0 ? -effect / present : effect / (1 - present);
        return shared.map((_, row) => {
          const at = clusters?.[row] ?? row;
          // What a model does on a cluster, beside its difficulty.
          const skill = clusters === undefined ? 0 : SKILL * (own[at] ?? 0);
          const chance = logistic(centre + spread * (shared[at] ?? 0) + skill);
          if (missing !== undefined && random() < missing(chance)) return null;
          const count = repeats?.(random) ?? 1;
          trials = Math.max(trials, count);
          let passes = 0;
          for (let i = 0; i < count; i++) {
            const passed = random() < chance;
            const flipped = random() < flip && passed === effect < 0;
            if (passed !== flipped) passes += 1;
          }
          return passes / count;
        });
      });
      return { evaluations, trials, clusters: clusters ?? null };
    },
  };
}

/** The mean over rows of what the chance of a pass gives, where log odds have this mean and spread. */
function centred(centre: number, spread: number, of: (chance: number) => number): number {
  let sum = 0;
  for (let q = -40; q <= 40; q++)
    sum += Math.exp(-((q / 10) ** 2) / 2) * of(logistic(centre + (spread * q) / 10));
  return sum / 10 / Math.sqrt(2 * Math.PI);
}

/** The log odds around which rows with this spread pass at this rate on average. */
function centreOf(rate: number, spread: number): number {
  let [low, high] = [-30, 30];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (centred(middle, spread, (chance) => chance) < rate) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Numbers, of which half of the spread is that of the rows. */
export function numbers(name: string, rows: number, shape: (z: number) => number): Design {
  return {
    name,
    rows,
    binary: false,
    project: (random, effects) => {
      const shared = Array.from({ length: rows }, () => normal(random));
      const evaluations = effects.map((effect) =>
        shared.map((row) => shape((row + normal(random)) / Math.SQRT2) + effect),
      );
      return { evaluations, trials: 1, clusters: null };
    },
  };
}

/** Clusters of these sizes. */
const articles = (...sizes: number[]): number[] => sizes.flatMap((size, i) => Array<number>(size).fill(i));
const oneToEight = (random: Random): number => 1 + Math.floor(8 * random());

export const DESIGNS: readonly Design[] = [
  ...[20, 100, 1000].map((rows) => rates({ name: "true/false", rows, rate: 0.7 })),
  ...[100, 300, 1000].map((rows) => rates({ name: "rate 2 %", rows, rate: 0.02 })),
  ...[100, 300, 1000].map((rows) => rates({ name: "rate 98 %", rows, rate: 0.98 })),
  ...[12, 50, 300].map((rows) => numbers("lognormal", rows, Math.exp)),
  numbers("normal", 12, (z) => z),
  rates({ name: "missing 25 %", rows: 100, rate: 0.7, missing: () => 0.25 }),
  ...[15, 50].map((rows) => rates({ name: "1 to 8 trials a row", rows, rate: 0.7, repeats: oneToEight })),
  rates({ name: "errors 15 %", rows: 200, rate: 0.7, missing: () => 0.15 }),
  rates({ name: "errors on hard rows", rows: 200, rate: 0.7, missing: (rate) => (rate < 0.5 ? 0.4 : 0.02) }),
  ...[40, 10, 5].map((count) =>
    rates({
      name: `${count} articles of ${400 / count} rows`,
      rows: 400,
      rate: 0.7,
      clusters: articles(...Array<number>(count).fill(400 / count)),
    }),
  ),
  rates({
    name: "5 articles, one with 60 %",
    rows: 400,
    rate: 0.7,
    clusters: articles(240, 40, 40, 40, 40),
  }),
];
