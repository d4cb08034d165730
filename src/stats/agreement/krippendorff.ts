import { checkRows } from "../numeric/arguments.ts";
import { checkTable } from "./kappa.ts";

type Rating = string | number | boolean;

/**
 * Krippendorff's α for nominal ratings `ratings[unit][rater]`; null marks a unit that a rater did not rate. α is 1 −
 * observed / expected disagreement over the pairs of ratings within a unit; Krippendorff 2011, "Computing
 * Krippendorff's alpha-reliability". 1 where all ratings are equal; null where no unit has two ratings.
 */
export function krippendorffAlpha(ratings: readonly (readonly (Rating | null)[])[]): number | null {
  checkRows("ratings", ratings);
  const units = ratings
    .map((unit) => countRatings(unit.filter((rating) => rating !== null)))
    .filter(({ size }) => size > 1);
  const size = units.reduce((sum, unit) => sum + unit.size, 0);
  if (size === 0) return null;
  const totals = new Map<Rating, number>();
  for (const { counts } of units) {
    for (const [rating, count] of counts) totals.set(rating, (totals.get(rating) ?? 0) + count);
  }
  const observed = units.reduce(
    (sum, unit) => sum + unequalPairs(unit.counts, unit.size) / (unit.size - 1),
    0,
  );
  const expected = unequalPairs(totals, size) / (size - 1);
  return expected === 0 ? 1 : 1 - observed / expected;
}

/** {@link krippendorffAlpha} of two raters who rated every unit, from a square table of counts as for Cohen's κ. */
export function krippendorffAlphaOfTable(table: readonly (readonly number[])[]): number | null {
  checkRows("the table", table);
  checkTable(table, table.length);
  const totals = new Map<Rating, number>();
  let size = 0;
  let observed = 0;
  for (const [i, row] of table.entries()) {
    for (const [j, count] of row.entries()) {
      totals.set(i, (totals.get(i) ?? 0) + count);
      totals.set(j, (totals.get(j) ?? 0) + count);
      size += 2 * count;
      if (i !== j) observed += 2 * count;
    }
  }
  if (size === 0) return null;
  const expected = unequalPairs(totals, size) / (size - 1);
  return expected === 0 ? 1 : 1 - observed / expected;
}

function countRatings(ratings: readonly Rating[]): { counts: Map<Rating, number>; size: number } {
  const counts = new Map<Rating, number>();
  for (const rating of ratings) counts.set(rating, (counts.get(rating) ?? 0) + 1);
  return { counts, size: ratings.length };
}

/** Counts the ordered pairs of different ratings. */
function unequalPairs(counts: ReadonlyMap<Rating, number>, size: number): number {
  return [...counts.values()].reduce((pairs, count) => pairs + count * (size - count), 0);
}
