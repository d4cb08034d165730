import { checkRows } from "../numeric/arguments.ts";

type Rating = string | number | boolean;

/**
 * Krippendorff's α for nominal ratings `ratings[unit][rater]`; null marks a unit that a rater did not rate. α is 1 −
 * observed / expected disagreement over the pairs of ratings within a unit; Krippendorff 2011, "Computing
 * Krippendorff's alpha-reliability". 1 where all ratings are equal; null where no unit has two ratings.
 */
export function krippendorffAlpha(ratings: readonly (readonly (Rating | null)[])[]): number | null {
  checkRows("ratings", ratings);
  return alphaOf(ratings.map((unit) => ({ ratings: unit.filter((rating) => rating !== null), times: 1 })));
}

/** {@link krippendorffAlpha} of two raters who rated every unit, from a square table of counts as for Cohen's κ. */
export function krippendorffAlphaOfTable(table: readonly (readonly number[])[]): number | null {
  return alphaOf(table.flatMap((row, i) => row.map((times, j) => ({ ratings: [i, j], times }))));
}

/** α of units that occur so many times. */
export function alphaOf(
  units: readonly { readonly ratings: readonly Rating[]; readonly times: number }[],
): number | null {
  const totals = new Map<Rating, number>();
  let [size, observed] = [0, 0];
  for (const { ratings, times } of units) {
    if (ratings.length < 2) continue;
    const counts = new Map<Rating, number>();
    for (const rating of ratings) {
      counts.set(rating, (counts.get(rating) ?? 0) + 1);
      totals.set(rating, (totals.get(rating) ?? 0) + times);
    }
    size += times * ratings.length;
    observed += (times * unequalPairs(counts, ratings.length)) / (ratings.length - 1);
  }
  if (size === 0) return null;
  const expected = unequalPairs(totals, size) / (size - 1);
  return expected === 0 ? 1 : 1 - observed / expected;
}

/** Counts the ordered pairs of different ratings. */
function unequalPairs(counts: ReadonlyMap<Rating, number>, size: number): number {
  return [...counts.values()].reduce((pairs, count) => pairs + count * (size - count), 0);
}
