import { checkAmount, checkFinite, checkObject, checkSameLength } from "../numeric/arguments.ts";
import { clusteredStandardError, degreesOfFreedom, type ClusterId } from "../estimates/clusters.ts";
import { studentTCdf } from "../numeric/distributions.ts";
import { mean, standardError, studentInterval, type Interval } from "../estimates/mean.ts";

/** Differences of the values of rows. */
interface MeanOfDifferences {
  readonly n: number;
  /** Mean of a − b. */
  readonly difference: number | null;
  readonly standard_error: number | null;
}

interface StudentTest {
  readonly t: number | null;
  /** Two-sided p value. */
  readonly p_value: number | null;
}

export interface PairedDifference extends MeanOfDifferences, StudentTest {
  readonly confidence_interval: Interval | null;
}

/**
 * The mean difference of two runs over the same rows, where `a[i]` and `b[i]` belong to row i: t(n − 1) on d = a − b
 * with SE = sd(d)/√n, or with `clusterIds` the clustered (CR2) error with its degrees of freedom. Miller 2024, arXiv
 * 2411.00640. One row (one cluster) gives a difference only. Differences that are all equal give a standard error of 0
 * and neither t, p value nor interval, since they say nothing about the spread.
 */
export function pairedDifference(
  a: readonly number[],
  b: readonly number[],
  options: {
    readonly confidence?: number | undefined;
    readonly clusterIds?: readonly ClusterId[] | undefined;
  } = {},
): PairedDifference {
  checkObject("options", options);
  checkSameLength("a and b", a, b);
  checkFinite("a", a);
  checkFinite("b", b);
  const { clusterIds } = options;
  const d = differences(a, b);
  const difference = mean(d);
  const error = clusterIds === undefined ? standardError(d) : clusteredStandardError(d, clusterIds);
  const df = clusterIds === undefined ? d.length - 1 : degreesOfFreedom(clusterIds);
  return {
    n: d.length,
    difference,
    standard_error: error,
    ...studentTest(difference, error, df),
    confidence_interval: studentInterval(difference, error, df, options.confidence),
  };
}

/** {@link pairedDifference} with the exact sign test where all differences are equal; p is null below two rows. */
export function pairedTest(
  a: readonly number[],
  b: readonly number[],
  options: { readonly confidence?: number | undefined } = {},
): Omit<PairedDifference, "t"> {
  const { t: _t, ...found } = pairedDifference(a, b, options);
  const bySigns = found.difference === 0 ? 1 : Math.min(1, 2 * 0.5 ** found.n);
  return { ...found, p_value: found.n < 2 ? null : (found.p_value ?? bySigns) };
}

/** t = estimate / standard error on `df` degrees of freedom; both null without a positive standard error. */
export function studentTest(estimate: number | null, error: number | null, df: number): StudentTest {
  if (estimate === null || error === null || error === 0) return { t: null, p_value: null };
  const t = estimate / error;
  return { t, p_value: 2 * studentTCdf(-Math.abs(t), df) };
}

export interface EquivalenceTest extends MeanOfDifferences {
  /** One-sided p value against a difference of at most −margin. */
  readonly p_lower: number | null;
  /** One-sided p value against a difference of at least margin. */
  readonly p_upper: number | null;
  /** The larger of the two; when it is at most α, the 1 − 2α interval lies inside ±margin. */
  readonly p_value: number | null;
}

/**
 * Two one-sided t tests that the mean of the paired differences `d` lies inside ±`margin` (> 0, in the unit
 * of `d`); Schuirmann 1987. p values are null for n < 2 and where all differences are equal.
 */
export function tost(d: readonly number[], options: { readonly margin: number }): EquivalenceTest {
  checkObject("options", options);
  const [difference, error] = [mean(d), standardError(d)];
  const tests = equivalenceTest(difference, error, d.length - 1, options.margin);
  return { n: d.length, difference, standard_error: error, ...tests };
}

/**
 * `tost` computed from the mean of the differences, its standard error (clustered or not) and its degrees of freedom.
 */
export function equivalenceTest(
  difference: number | null,
  error: number | null,
  df: number,
  margin: number,
): Omit<EquivalenceTest, keyof MeanOfDifferences> {
  checkAmount("margin", margin, true);
  if (difference === null || error === null || error === 0)
    return { p_lower: null, p_upper: null, p_value: null };
  const lower = studentTCdf(-(difference + margin) / error, df);
  const upper = studentTCdf((difference - margin) / error, df);
  return { p_lower: lower, p_upper: upper, p_value: Math.max(lower, upper) };
}

/** a − b. Differences that all agree up to the rounding of a − b (.8 − .7 and .9 − .8) are made equal. */
function differences(a: readonly number[], b: readonly number[]): readonly number[] {
  const d = a.map((value, i) => value - (b[i] ?? value));
  const first = d[0] ?? 0;
  const magnitude = a.reduce((most, value, i) => Math.max(most, Math.abs(value), Math.abs(b[i] ?? 0)), 0);
  const rounding = 4 * Number.EPSILON * magnitude;
  return d.every((value) => Math.abs(value - first) <= rounding) ? d.map(() => first) : d;
}
