/** What each rater said of a unit, in the order of the raters; null where one said nothing. */
export type RatingsOfUnit = readonly (number | null)[];

/** One value of each unit: null where two are equally good. */
export interface Consensus {
  readonly values: readonly (number | null)[];
  /** False where the last step still changed them. */
  readonly settled: boolean;
}

/** The mean of the ratings; null where their sum is no number. */
export function meanRating(ratings: RatingsOfUnit): number | null {
  const known = ratings.filter((rating) => rating !== null);
  const mean = totalOf(known) / known.length;
  return Number.isFinite(mean) ? mean : null;
}

/** What most raters said; null where two values are said as often. */
export function majorityRating(ratings: RatingsOfUnit): number | null {
  const counts = new Map<number, number>();
  for (const rating of ratings) if (rating !== null) counts.set(rating, (counts.get(rating) ?? 0) + 1);
  const [first, second] = [...counts].toSorted(([, a], [, b]) => b - a);
  return first === undefined || first[1] === second?.[1] ? null : first[0];
}

/** Units that are rated alike. */
interface Pattern {
  /** The class that each rater named, by its place; null where it named none. */
  readonly named: RatingsOfUnit;
  /** The places of its units. */
  readonly units: readonly number[];
}

const MOST_STEPS = 2000;
const SMALLEST_CHANGE = 1e-8;
/** Classes whose chances differ by less are equally good. */
const EQUAL = 1e-6;

/**
 * The most probable class of each unit, by expectation and maximisation with one confusion matrix a rater: Dawid and
 * Skene 1979. It begins with the share of the raters who named a class, and ends where no chance changes by 1e-8 or
 * more. Units that are rated alike are one term, so that the order of units does not matter. It yields after each short
 * piece of work.
 */
export function* dawidSkeneSteps(units: readonly RatingsOfUnit[]): Generator<void, Consensus, undefined> {
  const classes = yield* classesOf(units);
  const patterns = yield* patternsOf(units, classes);
  let chances = patterns.map(({ named }) => classes.map((_, c) => shareNaming(named, c)));
  let settled = false;
  for (let step = 0; step < MOST_STEPS && !settled; step++) {
    const next = yield* expected(patterns, chances, classes.length);
    settled = next.every((own, p) =>
      own.every((chance, c) => Math.abs(chance - (chances[p]?.[c] ?? 0)) < SMALLEST_CHANGE),
    );
    chances = next;
  }
  const values = units.map((): number | null => null);
  for (const [p, pattern] of patterns.entries()) {
    const value = mostProbable(chances[p] ?? [], classes);
    for (const unit of pattern.units) values[unit] = value;
  }
  return { values, settled };
}

const UNITS_AT_ONCE = 1024;

function* classesOf(units: readonly RatingsOfUnit[]): Generator<void, readonly number[], undefined> {
  const classes = new Set<number>();
  for (const [u, ratings] of units.entries()) {
    if (u % UNITS_AT_ONCE === 0) yield;
    for (const rating of ratings) if (rating !== null) classes.add(rating);
  }
  return [...classes].toSorted((a, b) => a - b);
}

function* patternsOf(
  units: readonly RatingsOfUnit[],
  classes: readonly number[],
): Generator<void, readonly Pattern[], undefined> {
  const placeOf = new Map(classes.map((value, place) => [value, place]));
  const byNames = new Map<string, { readonly named: RatingsOfUnit; readonly units: number[] }>();
  for (const [unit, ratings] of units.entries()) {
    if (unit % UNITS_AT_ONCE === 0) yield;
    const named = ratings.map((rating) => (rating === null ? null : (placeOf.get(rating) ?? null)));
    const own = byNames.get(named.join());
    if (own === undefined) byNames.set(named.join(), { named, units: [unit] });
    else own.units.push(unit);
  }
  return [...byNames].toSorted(([a], [b]) => Number(a > b) - Number(a < b)).map(([, pattern]) => pattern);
}

function shareNaming(named: RatingsOfUnit, place: number): number {
  return named.filter((one) => one === place).length / named.filter((one) => one !== null).length;
}

/** The chances of the classes that the matrices give which follow from these chances. */
function* expected(
  patterns: readonly Pattern[],
  chances: readonly (readonly number[])[],
  classCount: number,
): Generator<void, number[][], undefined> {
  const atOnce = Math.ceil(UNITS_AT_ONCE / classCount);
  const raters = patterns[0]?.named.length ?? 0;
  const matrix = () => Array.from({ length: classCount }, () => new Float64Array(classCount));
  const said = Array.from({ length: raters }, matrix);
  const prior = new Float64Array(classCount);
  for (const [p, { named, units }] of patterns.entries()) {
    if (p % atOnce === 0) yield;
    for (const [c, chance] of (chances[p] ?? []).entries()) {
      const weight = units.length * chance;
      prior[c] = (prior[c] ?? 0) + weight;
      for (const [r, place] of named.entries()) {
        const row = said[r]?.[c];
        if (place !== null && row !== undefined) row[place] = (row[place] ?? 0) + weight;
      }
    }
  }
  const logarithms = said.map((rows) => rows.map(logShares));
  const ofPrior = logShares(prior);
  const next: number[][] = [];
  for (const [p, { named }] of patterns.entries()) {
    if (p % atOnce === 0) yield;
    const logs = Array.from(ofPrior, (log, c) =>
      named.reduce<number>(
        (all, place, r) => all + (place === null ? 0 : (logarithms[r]?.[c]?.[place] ?? 0)),
        log,
      ),
    );
    const most = Math.max(...logs);
    const weights = logs.map((log) => Math.exp(log - most));
    const total = totalOf(weights);
    next.push(weights.map((weight) => weight / total));
  }
  return next;
}

function logShares(weights: Float64Array): Float64Array {
  const total = totalOf(weights);
  return weights.map((weight) => (total === 0 ? -Infinity : Math.log(weight / total)));
}

function mostProbable(chances: readonly number[], classes: readonly number[]): number | null {
  const [first, second] = chances.map((chance, c) => ({ chance, c })).toSorted((a, b) => b.chance - a.chance);
  if (first === undefined || first.chance - (second?.chance ?? -1) < EQUAL) return null;
  return classes[first.c] ?? null;
}

function totalOf(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
