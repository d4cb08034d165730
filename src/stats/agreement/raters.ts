import { sum } from "../numeric/sum.ts";
import { alphaOf } from "./krippendorff.ts";

/** What one rater said of a unit; texts are places in a list of them. */
export interface Rating {
  readonly rater: number;
  readonly value: number;
}

/** The ratings of a unit, of each rater one at most. */
export type RatedUnit = readonly Rating[];

/** How far the ratings of two or more raters agree; a quantity that does not exist is null. */
interface Agreeing {
  readonly percent: number | null;
  readonly alpha: number | null;
  readonly ac1: number | null;
}

/** Krippendorff's nominal α, Gwet's AC1 and the percent agreement that it is made of. */
export function agreeing(units: readonly RatedUnit[]): Agreeing {
  const values = units.map((unit) => unit.map(({ value }) => value));
  const percent = percentAgreement(values);
  return {
    percent,
    alpha: alphaOf(values.map((ratings) => ({ ratings, times: 1 }))),
    ac1: gwetAc1(values, percent),
  };
}

/** Units of two ratings or more weigh alike: each the share of its pairs that are equal. */
function percentAgreement(units: readonly (readonly number[])[]): number | null {
  const shares = units
    .filter((unit) => unit.length > 1)
    .map(
      (unit) => sum([...countsOf(unit).values()].map((n) => n * (n - 1))) / (unit.length * (unit.length - 1)),
    );
  return shares.length === 0 ? null : sum(shares) / shares.length;
}

/**
 * (pa − pe) / (1 − pe) with pe = Σ π(1 − π) / (q − 1), where π is the mean share of a category over units of one rating
 * or more, and q the number of categories; Gwet 2008, as in irrCAC.
 */
function gwetAc1(units: readonly (readonly number[])[], percent: number | null): number | null {
  if (percent === null) return null;
  const rated = units.filter((unit) => unit.length > 0);
  const shares = new Map<number, number>();
  for (const unit of rated)
    for (const [value, n] of countsOf(unit)) shares.set(value, (shares.get(value) ?? 0) + n / unit.length);
  const spread = sum(
    [...shares.values()].map((share) => (share / rated.length) * (1 - share / rated.length)),
  );
  const byChance = shares.size < 2 ? 0 : spread / (shares.size - 1);
  return byChance === 1 ? null : (percent - byChance) / (1 - byChance);
}

function countsOf(unit: readonly number[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const value of unit) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/**
 * Krippendorff's α of numbers, Krippendorff 2011: "interval" by the square of their difference; "ordinal" by that of
 * their mid-ranks among all ratings of units of two or more, which is the metric of ranks.
 */
export function alphaOfNumbers(units: readonly RatedUnit[], metric: "ordinal" | "interval"): number | null {
  const values = units.filter((unit) => unit.length > 1).map((unit) => unit.map(({ value }) => value));
  const all = values.flat();
  if (all.length === 0) return null;
  const placeOf = metric === "ordinal" ? midRanks(all) : inUnits(all);
  const within = sum(
    values.map((unit) => (squaresAbout(unit.map(placeOf)) * unit.length) / (unit.length - 1)),
  );
  const total = squaresAbout(all.map(placeOf));
  return total === 0 ? 1 : 1 - ((all.length - 1) / all.length) * (within / total);
}

function midRanks(values: readonly number[]): (value: number) => number {
  let below = 0;
  const ranks = new Map<number, number>();
  for (const [value, n] of [...countsOf(values)].toSorted(([a], [b]) => a - b)) {
    ranks.set(value, below + n / 2);
    below += n;
  }
  return (value) => ranks.get(value) ?? 0;
}

/** Their share of the largest, so that no square leaves the range of doubles. */
function inUnits(values: readonly number[]): (value: number) => number {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return largest === 0 ? (value) => value : (value) => value / largest;
}

function squaresAbout(values: readonly number[]): number {
  const mean = sum(values) / values.length;
  return sum(values.map((value) => (value - mean) ** 2));
}

/** Cohen's κ of two raters on the units that both rated; null without one, and where chance alone agrees fully. */
export function kappaOfPairs(pairs: readonly (readonly [a: number, b: number])[]): number | null {
  const [first, second] = [countsOf(pairs.map(([a]) => a)), countsOf(pairs.map(([, b]) => b))];
  const n = pairs.length;
  const byChance = sum([...first].map(([value, count]) => (count / n) * ((second.get(value) ?? 0) / n)));
  if (n === 0 || byChance === 1) return null;
  return (pairs.filter(([a, b]) => a === b).length / n - byChance) / (1 - byChance);
}
