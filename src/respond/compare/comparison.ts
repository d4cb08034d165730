import { mapInSlices } from "../../model/turns.ts";
import type { Adjustment } from "../../request/compare-request.ts";
import { studentInterval, type Interval } from "../../stats/estimates/mean.ts";
import { mcnemar } from "../../stats/tests/mcnemar.ts";
import { benjaminiHochberg, holm } from "../../stats/tests/multiplicity.ts";
import { equivalenceTest, studentTest } from "../../stats/tests/paired.ts";
import { minimumDetectableEffect } from "../../stats/tests/power.ts";
import { verdict, type Verdict } from "../../stats/tests/verdict.ts";
import { exactAverage, finiteOrNull } from "../summary/exact-moments.ts";
import { differenceError, type PairSums } from "./pair-sums.ts";

/**
 * The test behind a p value. `mcnemar-exact`: booleans with one trial per row. `paired-t`: the rows' means otherwise;
 * `clustered-t`: the same with `cluster_by` (CR1, t with one degree of freedom less than clusters). `sign-exact`:
 * where all differences are equal, so that t does not exist.
 */
export type ComparisonMethod = "mcnemar-exact" | "paired-t" | "clustered-t" | "sign-exact";

/**
 * Compares one score dimension of one candidate with the baseline, over the rows on which both have a value; a row's
 * value is the mean of its trials. A quantity that does not exist is null.
 */
export interface Comparison {
  /** Id of the candidate. */
  readonly candidate: string;
  /** The scorer. */
  readonly scorer_key: string;
  /** Members below the scorer, joined by dots; null where the score itself is the value. */
  readonly path: string | null;
  /** `binary` where the values of both are true and false, otherwise `continuous`. */
  readonly value_type: "continuous" | "binary";
  /** Rows with a value in both evaluations; only these are compared. */
  readonly n_common: number;
  /** Rows on which only the baseline has a trial. */
  readonly n_only_baseline: number;
  /** Rows on which only the candidate has a trial. */
  readonly n_only_candidate: number;
  /** Rows on which both have trials but only the candidate has a value. */
  readonly n_missing_baseline: number;
  /** Rows on which both have trials but only the baseline has a value. */
  readonly n_missing_candidate: number;
  /** Mean of the baseline's row values on the common rows. */
  readonly baseline_mean: number | null;
  /** Mean of the candidate's row values on the common rows. */
  readonly candidate_mean: number | null;
  /** The mean of candidate - baseline over the common rows. */
  readonly difference: number | null;
  /** Standard error of the difference over rows, or over clusters with `cluster_by`. */
  readonly standard_error: number | null;
  /** Student's t interval of the difference, not adjusted for the other comparisons. */
  readonly confidence_interval: Interval | null;
  /** The test behind the p value. */
  readonly method: ComparisonMethod | null;
  /** Two-sided p value. */
  readonly p_value: number | null;
  /** p value adjusted for the `family_size` comparisons of the answer. */
  readonly p_value_adjusted: number | null;
  /** Adjusted p value of two one-sided tests that the difference lies within ±`margin`; null without `margin`. */
  readonly equivalence_p_value_adjusted: number | null;
  /** The outcome of the comparison. */
  readonly verdict: Verdict;
  /**
   * The smallest |difference| that this number of rows detects with a power of 80 %; null unless the verdict is
   * inconclusive.
   */
  readonly minimum_detectable_effect: number | null;
  /** Rows on which the candidate is better, in the direction of the dimension. */
  readonly rows_improved: number;
  /** Rows on which the candidate is worse. */
  readonly rows_regressed: number;
  /** Rows on which both are equal. */
  readonly rows_tied: number;
  /** Trials in error of both evaluations that count as a value; only with `count_errors_as`. */
  readonly counted_error_count?: number | undefined;
}

/** The answer of `compareEvaluations`. */
export interface ComparisonAnswer {
  /** Confidence level of the intervals, and 1 − α of the verdicts. */
  readonly confidence: number;
  /** How p values are adjusted for multiple comparisons. */
  readonly adjust: Adjustment;
  /** Number of comparisons with a p value, which `adjust` adjusts for. */
  readonly family_size: number;
  /** One comparison per candidate and dimension. */
  readonly comparisons: readonly Comparison[];
  /** Sentences on how the two sides are unlike, and remarks on the request for the reader. */
  readonly warnings: readonly string[];
  /** Sentences on what trials in error count as; only with `count_errors_as`. */
  readonly notes?: readonly string[] | undefined;
}

/** Input of one comparison, before p values are adjusted across comparisons. */
export interface ComparisonInput {
  readonly candidate: string;
  readonly path: readonly string[];
  readonly lowerIsBetter: boolean;
  /** Whether the values of both sides are booleans. */
  readonly binary: boolean;
  readonly rows: Pick<
    Comparison,
    "n_only_baseline" | "n_only_candidate" | "n_missing_baseline" | "n_missing_candidate"
  >;
  /** null without common rows. */
  readonly sums: PairSums | null;
  /** See `Comparison.counted_error_count`. */
  readonly counted?: number | undefined;
}

interface ComparisonOptions {
  readonly confidence: number;
  readonly adjust: Adjustment;
  readonly margin: number | null;
}

interface Test {
  readonly method: ComparisonMethod | null;
  readonly p: number | null;
  readonly equivalence: number | null;
}

const NO_TEST: Test = { method: null, p: null, equivalence: null };

/** Computes all comparisons with their verdicts; p values are adjusted across all of them. */
export async function compareAll(
  inputs: readonly ComparisonInput[],
  options: ComparisonOptions,
  signal: AbortSignal | undefined,
): Promise<{ readonly familySize: number; readonly comparisons: Comparison[] }> {
  const tests = await mapInSlices(inputs, (input) => testOf(input, options.margin), signal);
  const adjusted = adjustKnown(
    tests.map(({ p }) => p),
    options.adjust,
  );
  const equivalences = adjustKnown(
    tests.map(({ equivalence }) => equivalence),
    options.adjust,
  );
  return {
    familySize: tests.filter(({ p }) => p !== null).length,
    comparisons: await mapInSlices(
      inputs,
      (input, i) =>
        compareOne(input, tests[i] ?? NO_TEST, adjusted[i] ?? null, equivalences[i] ?? null, options),
      signal,
    ),
  };
}

function testOf({ sums, binary }: ComparisonInput, margin: number | null): Test {
  if (sums === null || sums.differences.n < 2) return NO_TEST;
  const { n } = sums.differences;
  const { error, df } = differenceError(sums);
  const difference = finiteOrNull(exactAverage(sums.differences));
  const clusters = sums.clusters === null ? n : sums.clusters.count;
  const equivalence =
    margin === null
      ? null
      : (equivalenceTest(difference, error, df, margin).p_value ??
        (binary && difference === 0 && sums.higher === 0 ? (1 - Math.min(1, margin)) ** clusters : null));
  if (binary && sums.clusters === null && sums.single)
    return { method: "mcnemar-exact", p: mcnemar(sums.lower, sums.higher).p_value, equivalence };
  if (error === 0) {
    const moved = sums.unmoved ? 0 : clusters;
    return { method: "sign-exact", p: mcnemar(0, moved).p_value, equivalence };
  }
  const { p_value } = studentTest(difference, error, df);
  const method = sums.clusters === null ? "paired-t" : "clustered-t";
  return { method: p_value === null ? null : method, p: p_value, equivalence };
}

function adjustKnown(p: readonly (number | null)[], adjust: Adjustment): (number | null)[] {
  const known = p.filter((value) => value !== null);
  const adjusted = adjustAll(known, adjust);
  let next = 0;
  return p.map((value) => (value === null ? null : (adjusted[next++] ?? null)));
}

function adjustAll(p: readonly number[], adjust: Adjustment): readonly number[] {
  switch (adjust) {
    case "benjamini-hochberg":
      return benjaminiHochberg(p);
    case "holm":
      return holm(p);
    case "none":
      return p;
  }
}

function compareOne(
  input: ComparisonInput,
  { method, p }: Test,
  adjusted: number | null,
  equivalence: number | null,
  { confidence }: ComparisonOptions,
): Comparison {
  const { sums, lowerIsBetter, path } = input;
  const known = sums === null ? null : differenceError(sums);
  const difference = sums === null ? null : finiteOrNull(exactAverage(sums.differences));
  const error = known?.error ?? null;
  const judged = verdict({
    difference,
    p_value: adjusted,
    equivalence_p_value: equivalence,
    confidence,
    lowerIsBetter,
  });
  const [scorerKey = "", ...rest] = path;
  return {
    candidate: input.candidate,
    scorer_key: scorerKey,
    path: rest.length === 0 ? null : rest.join("."),
    value_type: input.binary ? "binary" : "continuous",
    n_common: sums?.differences.n ?? 0,
    ...input.rows,
    baseline_mean: sums === null ? null : exactAverage({ ...sums.differences, sum: sums.baseline }),
    candidate_mean: sums === null ? null : exactAverage({ ...sums.differences, sum: sums.candidate }),
    difference,
    standard_error: error,
    confidence_interval: studentInterval(difference, error, known?.df ?? 0, confidence),
    method,
    p_value: p,
    p_value_adjusted: adjusted,
    equivalence_p_value_adjusted: equivalence,
    verdict: judged,
    minimum_detectable_effect: judged === "inconclusive" ? detectableEffect(error, 1 - confidence) : null,
    ...countRows(input),
  };
}

/** Counts the rows on which the candidate is better, worse and equal, and the trials in error that count. */
function countRows({ sums, lowerIsBetter, counted }: ComparisonInput) {
  const n = sums?.differences.n ?? 0;
  const [higher, lower] = [sums?.higher ?? 0, sums?.lower ?? 0];
  return {
    rows_improved: lowerIsBetter ? lower : higher,
    rows_regressed: lowerIsBetter ? higher : lower,
    rows_tied: n - higher - lower,
    ...(counted === undefined ? {} : { counted_error_count: counted }),
  };
}

/** Computed in units of the error, whose square may exceed the range of doubles. */
function detectableEffect(error: number | null, alpha: number): number | null {
  if (error === null || error <= 0) return null;
  const effect = minimumDetectableEffect({ n: 1, variance: 1, alpha });
  return effect === null ? null : finiteOrNull(effect * error);
}
