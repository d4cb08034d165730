import { average, type Interval } from "../estimates/mean.ts";
import { normalCdf, normalQuantile } from "../numeric/distributions.ts";
import { sum } from "../numeric/sum.ts";
import { correlation } from "./correlation.ts";

/** How far a row goes with the rest: what is right where more is right elsewhere has a high one. */
export interface Discrimination {
  /** From −1 to 1; null with fewer than 3 evaluations, and where a side is constant. */
  readonly discrimination: number | null;
  /** By Fisher's z; null below 8 evaluations, and at −1 and 1. */
  readonly interval: Interval | null;
  /** Of no correlation, by Fisher's z; null where there is no interval. */
  readonly pValue: number | null;
}

const LEAST_CORRELATED = 3;
const LEAST_TESTED = 8;
/** Sums of rounded means that are equal differ by no more of their size. */
const ROUNDING = 8 * Number.EPSILON;

/**
 * The discrimination of each row: Pearson's correlation, over the evaluations that have the row, of its value with the
 * mean of the evaluation over its other rows. `values[e][row]` is NaN where there is none.
 */
export function discriminations(values: readonly Float64Array[], confidence: number): Discrimination[] {
  const totals = values.map((own) => {
    const known = own.filter((value) => !Number.isNaN(value));
    return { n: known.length, total: sum(known), size: sum(known.map(Math.abs)) };
  });
  return Array.from(values[0] ?? [], (_, row) => {
    const pairs = values.flatMap((own, e) => {
      const [value = Number.NaN, { n = 0, total = 0, size = 0 } = {}] = [own[row], totals[e]];
      if (Number.isNaN(value) || n < 2) return [];
      return [{ value, rest: (total - value) / (n - 1), size: size / (n - 1) }];
    });
    const r = correlationOf(pairs);
    return { discrimination: r, ...fisher(r, pairs.length, confidence) };
  });
}

function correlationOf(
  pairs: readonly { readonly value: number; readonly rest: number; readonly size: number }[],
): number | null {
  if (pairs.length < LEAST_CORRELATED) return null;
  const values = deviations(
    pairs.map(({ value }) => value),
    Math.max(...pairs.map(({ value }) => Math.abs(value))),
  );
  const rests = deviations(
    pairs.map(({ rest }) => rest),
    Math.max(...pairs.map(({ size }) => size)),
  );
  if (values === null || rests === null) return null;
  const r = correlation(product(values, rests), product(values, values), product(rests, rests));
  return r !== null && 1 - Math.abs(r) <= ROUNDING ? Math.sign(r) : r;
}

function product(a: readonly number[], b: readonly number[]): number {
  return sum(a.map((one, i) => one * (b[i] ?? 0)));
}

/** The deviations from the mean, the largest 1 or −1; null where all values are the same but for rounding. */
function deviations(values: readonly number[], size: number): number[] | null {
  const mean = average(values);
  const apart = values.map((value) => value - mean);
  const most = Math.max(...apart.map(Math.abs));
  return most <= ROUNDING * size ? null : apart.map((one) => one / most);
}

function fisher(r: number | null, n: number, confidence: number): Omit<Discrimination, "discrimination"> {
  if (r === null || n < LEAST_TESTED || Math.abs(r) === 1) return { interval: null, pValue: null };
  const [z, reach] = [Math.atanh(r), normalQuantile((1 + confidence) / 2) / Math.sqrt(n - 3)];
  return {
    interval: [Math.tanh(z - reach), Math.tanh(z + reach)],
    pValue: 2 * normalCdf(-Math.abs(z) * Math.sqrt(n - 3)),
  };
}
