import { type Interval, pooledError, studentInterval } from "../../stats/estimates/mean.ts";
import { equivalenceTest, studentTest } from "../../stats/tests/paired.ts";
import { mcnemar, pairedRatesInterval } from "../../stats/tests/paired-rates.ts";
import type { ComparedSample } from "../../stats/tests/power.ts";
import { clusterCounts } from "../summary/cluster-error.ts";
import { exactAverage, finiteOrNull } from "../summary/exact-moments.ts";
import { differenceError, meanDifference, type PairSums } from "./pair-sums.ts";

/**
 * The test behind a p value. `mcnemar-mid-p`: booleans with one trial per row (McNemar's mid-p, with Tango's score
 * interval); `paired-t`: the rows' means otherwise; `clustered-t`: the same with `cluster_by` (CR2, t with Bell and
 * McCaffrey's degrees of freedom). `sign-exact`: where all differences are equal, so that t does not exist. `ppi`:
 * corrected with labels of people (`corrected_by`; PPI++, Student's t with two degrees of freedom less than labelled
 * rows). `welch-t`: the mean over tasks of the mean difference (`weights: "tasks"`), with Welch and Satterthwaite's
 * degrees of freedom.
 */
export type ComparisonMethod =
  | "mcnemar-mid-p"
  | "paired-t"
  | "clustered-t"
  | "sign-exact"
  | "ppi"
  | "welch-t";

/** An estimated difference with its test, before p values are adjusted across comparisons. */
export interface Estimate {
  readonly difference: number | null;
  readonly error: number | null;
  readonly method: ComparisonMethod | null;
  /** Two-sided p value. */
  readonly p: number | null;
  /** p value of two one-sided tests against the margin. */
  readonly equivalence: number | null;
  /** The interval that belongs to the test, at confidence 1 − `alpha`; null where there is none. */
  readonly intervalAt: (alpha: number) => Interval | null;
  /** What the smallest difference that would have shown is computed from; null where nothing can be said. */
  readonly sample: ComparedSample | null;
  /** Why there is no test; null where there is one. */
  readonly reason: string | null;
}

/** Where nothing can be said. */
export const NO_ESTIMATE: Estimate = {
  difference: null,
  error: null,
  method: null,
  p: null,
  equivalence: null,
  intervalAt: () => null,
  sample: null,
  reason: "no row has a value in both",
};

/** With fewer degrees of freedom the t test of clusters does not keep its level. */
const LEAST_DF = 4;
/** Equal clusters have whole degrees of freedom but for the rounding of doubles. */
const ROUNDING = 1e-9;

const NORMAL_KURTOSIS = 3;

/** How differences spread of which no more is known. */
export const NORMAL = { rate: null, kurtosis: NORMAL_KURTOSIS };

/** Estimates the difference of a pair, `binary` where both have true and false alone. */
export function estimate(sums: PairSums | null, binary: boolean, margin: number | null): Estimate {
  if (sums === null) return NO_ESTIMATE;
  if (sums.pooled?.weights === "tasks") return overTasks(sums, sums.pooled.tasks, margin);
  return overRows(sums, binary, margin);
}

/** Estimates the mean difference of the rows. */
function overRows(sums: PairSums, binary: boolean, margin: number | null): Estimate {
  const { n } = sums.differences;
  const difference = finiteOrNull(exactAverage(sums.differences));
  const { error, df } = differenceError(sums);
  const known = { ...NO_ESTIMATE, difference, error };
  if (n < 2) return { ...known, reason: "one row only has a value in both" };
  const clusters = sums.clusters === null ? null : clusterCounts(sums.clusters);
  if (clusters !== null && df < LEAST_DF * (1 - ROUNDING))
    return { ...known, reason: fewClusters(clusters, n, df) };
  const rate = binary ? (sums.baselineMean + sums.candidateMean) / 2 : null;
  const tested = { ...known, equivalence: equivalence(sums, binary, margin), reason: null };
  if (binary && clusters === null && sums.single) {
    const { higher, lower } = sums;
    return {
      ...tested,
      method: "mcnemar-mid-p",
      p: mcnemar(lower, higher, { method: "mid-p" }).p_value,
      intervalAt: (alpha) => pairedRatesInterval({ higher, lower, n, confidence: 1 - alpha }),
      sample: { kind: "paired-rates", n, higher, lower, baselineRate: sums.baselineMean },
    };
  }
  if (error === 0) {
    const moved = difference === 0 ? 0 : (clusters?.count ?? n);
    const p = Math.min(1, 2 * 0.5 ** moved);
    return { ...tested, method: "sign-exact", p };
  }
  if (error === null || difference === null) return { ...known, reason: BEYOND_NUMBERS };
  const student = byStudent(clusters === null ? "paired-t" : "clustered-t", difference, error, df);
  // What clusters differ by hardly changes with the rate.
  const spread = clusters === null ? { rate, kurtosis: mostKurtosis(sums, difference, error) } : NORMAL;
  return { ...tested, ...student, sample: { kind: "mean", n, df, standardError: error, ...spread } };
}

const BEYOND_NUMBERS = "the differences exceed the range of numbers";

/** The test of a difference by Student's t, with the interval that belongs to it. */
export function byStudent(
  method: ComparisonMethod,
  difference: number,
  error: number,
  df: number,
): Pick<Estimate, "method" | "p" | "intervalAt" | "reason"> {
  return {
    method,
    p: studentTest(difference, error, df).p_value,
    intervalAt: (alpha) => studentInterval(difference, error, df, 1 - alpha),
    reason: null,
  };
}

/**
 * n Σ(d − d̄)⁴ / (Σ(d − d̄)²)² is at most the square of the row farthest from the mean over the mean of all squares. Of
 * a few rows it is small whatever they are, so that it counts from that of normal differences on.
 */
function mostKurtosis({ differences, least, most }: PairSums, mean: number, error: number): number {
  const { n } = differences;
  return Math.max(NORMAL_KURTOSIS, (Math.max(most - mean, mean - least) / error) ** 2 / (n - 1));
}

/** Estimates the mean over tasks of the mean difference. */
function overTasks(sums: PairSums, tasks: readonly PairSums[], margin: number | null): Estimate {
  const { standard_error: error, df } = pooledError(
    tasks.map((one) => ({ n: one.differences.n, standard_error: differenceError(one).error })),
    "equal",
  );
  const difference = finiteOrNull(meanDifference(sums));
  const known = { ...NO_ESTIMATE, difference, error };
  if (error === null) return { ...known, reason: "a task has one row only with a value in both" };
  if (error === 0)
    return { ...known, reason: "in each task all differences are equal, which tells no spread" };
  if (difference === null) return { ...known, reason: BEYOND_NUMBERS };
  return {
    ...known,
    ...byStudent("welch-t", difference, error, df),
    equivalence: margin === null ? null : equivalenceTest(difference, error, df, margin).p_value,
    sample: { kind: "mean", n: sums.differences.n, df, standardError: error, ...NORMAL },
  };
}

function fewClusters({ count, largest }: ReturnType<typeof clusterCounts>, n: number, df: number): string {
  const clusters = `${count} ${count === 1 ? "cluster" : "clusters"}, the largest with ${largest} of ${n} rows`;
  // What is rounded up to what is needed would say that there are enough.
  const shown = Math.min(Number(df.toFixed(1)), LEAST_DF - 0.1);
  return `${clusters}, have ${shown} degrees of freedom; a verdict needs ${LEAST_DF}`;
}

/** Booleans that never moved lie within a margin with the chance that no row would move where a share of them does. */
function equivalence(sums: PairSums, binary: boolean, margin: number | null): number | null {
  if (margin === null) return null;
  const { error, df } = differenceError(sums);
  const difference = finiteOrNull(exactAverage(sums.differences));
  const units = sums.clusters === null ? sums.differences.n : clusterCounts(sums.clusters).count;
  const still = binary && difference === 0 && sums.higher === 0 && sums.lower === 0;
  return (
    equivalenceTest(difference, error, df, margin).p_value ??
    (still ? (1 - Math.min(1, margin)) ** units : null)
  );
}
