import { check, checkFinite, checkNumber } from "../numeric/arguments.ts";

/**
 * The `p`-th percentile, p from 0 to 100, by linear interpolation between order statistics: type 7 of Hyndman and Fan
 * 1996, which is the default of numpy and R and DuckDB's `quantile_cont`. null without values.
 */
export function percentile(x: readonly number[], p: number): number | null {
  checkFinite("x", x);
  checkNumber("p", p);
  check(p >= 0 && p <= 100, `p from 0 to 100, not ${p}`);
  if (x.length === 0) return null;
  return sortedQuantile(
    x.toSorted((a, b) => a - b),
    p / 100,
  );
}

/** The quantile at `share`, from 0 to 1, of a non-empty list in ascending order. */
export function sortedQuantile(ascending: readonly number[], share: number): number {
  const position = share * (ascending.length - 1);
  const below = ascending[Math.floor(position)];
  const above = ascending[Math.ceil(position)];
  check(below !== undefined && above !== undefined, "at least one value and a share from 0 to 1");
  return below + (above - below) * (position - Math.floor(position));
}
