import { check } from "../numeric/arguments.ts";
import { type Random, seededRandom } from "../numeric/random.ts";

/** Values of runs in the order of time, by run and then by row; a run has a value on each row. */
export type RunValues = readonly Float64Array[];

/** The first run after a loss is one of these: indices, both included. */
interface LossSpan {
  readonly first: number;
  readonly last: number;
}

const DRAWS = 400;
/** A place is left out where at most this share of draws lacks as much there as the runs do. */
const LEFT_OUT = 0.01;
/** The least variance of a run, as a share of that of all: few rows that are alike tell little of it. */
const LEAST_VARIANCE = 0.25;
const SEED = 20_260_704;

/**
 * Normal noise of {@link DRAWS} chains, by run and then by chain: for the first runs the same, however many there are.
 */
export type ChainNoise = readonly Float64Array[];

export function chainNoise(runs: number): ChainNoise {
  const random = seededRandom(SEED);
  return Array.from({ length: runs }, () => Float64Array.from({ length: DRAWS }, () => normal(random)));
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/**
 * The places where one change of the mean may lie, from the first to the last of those that a parametric bootstrap
 * keeps. With a contrast of a place, the mean before it less that from it on over its standard error, the square of the
 * largest less that of a place is twice the log likelihood that the place lacks. It is kept where chains with the means
 * before and after it as they are, and normal noise between runs, lack as much in more than 1 % of 400. The largest
 * contrast alone would say less: the span of a clear loss has two to five places instead of one. `sign` is 1 where a
 * loss is a fall, −1 where it is a rise.
 */
export function lossSpan(runs: RunValues, sign: 1 | -1, noise = chainNoise(runs.length)): LossSpan {
  const count = runs.length;
  check(count > 1, "at least two runs");
  const { means, error, weights } = meansOf(runs);
  const z = means.map((mean) => (sign * mean) / (error ?? 1));
  const own = contrasts(z, weights);
  const most = Math.max(...own);
  const best = 1 + own.indexOf(most);
  if (error === null) return { first: best, last: best };
  const chains = chainContrasts(noise.slice(0, count), weights);
  const isKept = (place: number) =>
    place === best || holds(chains, stepAt(z, weights, place), place, lackAt(own, place, most));
  let [first, last] = [1, count - 1];
  while (!isKept(first)) first++;
  while (!isKept(last)) last--;
  return { first, last };
}

/** How much the largest contrast is ahead of that of a place, in squares that keep their sign. */
function lackAt(own: readonly number[], place: number, most: number): number {
  return signedSquare(most) - signedSquare(own[place - 1] ?? 0);
}

function signedSquare(value: number): number {
  return value * Math.abs(value);
}

interface Means {
  readonly means: readonly number[];
  /** Their standard error, from the residuals of rows and runs; null where they are none. */
  readonly error: number | null;
  /** How many times more precise the mean of each run is, by its own residuals. */
  readonly weights: readonly number[];
}

function meansOf(runs: RunValues): Means {
  const rows = runs[0]?.length ?? 0;
  const means = runs.map(plainMean);
  const all = plainMean(means);
  const squares = runs.map(() => 0);
  for (let row = 0; row < rows; row++) {
    const mean = plainMean(runs.map((values) => values[row] ?? 0));
    for (const [j, values] of runs.entries())
      squares[j] = (squares[j] ?? 0) + ((values[row] ?? 0) - mean - (means[j] ?? 0) + all) ** 2;
  }
  const usual = plainMean(squares);
  const error = Math.sqrt((usual * runs.length) / ((rows - 1) * (runs.length - 1)) / rows);
  // Rounding leaves something of residuals that are none.
  const scale = Math.max(...means.map(Math.abs));
  if (!(error > 1e-12 * scale)) return { means, error: null, weights: means.map(() => 1) };
  const weights = squares.map((own) => 1 / Math.max(LEAST_VARIANCE, own / usual));
  return { means, error, weights };
}

function plainMean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] ?? 0;
  return sum / values.length;
}

/**
 * By place from the second run on: how much higher the mean before it is than that from it on, over its standard error.
 */
function contrasts(z: readonly number[], weights: readonly number[]): number[] {
  const [whole, total] = weighted(z, weights);
  let [weight, before] = [0, 0];
  return z.slice(0, -1).map((value, i) => {
    const own = weights[i] ?? 1;
    weight += own;
    before += own * value;
    const behind = whole - weight;
    return (before / weight - (total - before) / behind) / Math.sqrt(1 / weight + 1 / behind);
  });
}

function weighted(z: readonly number[], weights: readonly number[]): readonly [weight: number, sum: number] {
  let [weight, sum] = [0, 0];
  for (const [i, value] of z.entries()) {
    const own = weights[i] ?? 1;
    weight += own;
    sum += own * value;
  }
  return [weight, sum];
}

interface ChainContrasts {
  /** By place, then by chain. */
  readonly places: readonly Float64Array[];
  /** By chain: the largest. */
  readonly most: Float64Array;
}

function chainContrasts(noise: ChainNoise, weights: readonly number[]): ChainContrasts {
  const errors = weights.map((weight) => 1 / Math.sqrt(weight));
  const places = noise.slice(1).map(() => new Float64Array(DRAWS));
  const most = new Float64Array(DRAWS);
  for (let chain = 0; chain < DRAWS; chain++) {
    const drawn = noise.map((values, i) => (errors[i] ?? 1) * (values[chain] ?? 0));
    const own = contrasts(drawn, weights);
    for (const [i, value] of own.entries()) (places[i] ?? most)[chain] = value;
    most[chain] = Math.max(...own);
  }
  return { places, most };
}

/** The contrasts of a chain without noise that has the means before and after a place. */
function stepAt(z: readonly number[], weights: readonly number[], place: number): number[] {
  const sides = [[0, place] as const, [place, z.length] as const];
  const [before = 0, after = 0] = sides.map(([from, to]) => {
    const [weight, sum] = weighted(z.slice(from, to), weights.slice(from, to));
    return sum / weight;
  });
  const step = z.map((_, i) => (i < place ? before : after));
  return contrasts(step, weights);
}

/** Whether enough chains around a step lack as much at its place. */
function holds({ places, most }: ChainContrasts, step: readonly number[], place: number, lack: number) {
  const highest = Math.max(...step);
  let found = 0;
  for (let chain = 0; chain < DRAWS; chain++) {
    const least = signedSquare((step[place - 1] ?? 0) + (places[place - 1]?.[chain] ?? 0)) + lack;
    if (signedSquare((most[chain] ?? 0) + highest) < least) continue;
    if (step.some((value, i) => signedSquare(value + (places[i]?.[chain] ?? 0)) >= least)) found++;
    if (found > LEFT_OUT * DRAWS) return true;
  }
  return false;
}
