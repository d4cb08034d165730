import type { CountedTrials } from "../../model/counting.ts";
import type { Direction } from "../../model/direction.ts";
import { scorePlace } from "../../model/field-path.ts";
import { grouped } from "../../model/grouped.ts";
import { mapInSlices } from "../../model/turns.ts";
import type { Adjustment, PairAdjustment } from "../../request/compare-request.ts";
import type { Interval } from "../../stats/estimates/mean.ts";
import { detectableDifference, rowsToDetect } from "../../stats/tests/power.ts";
import { verdict, type Verdict } from "../../stats/tests/verdict.ts";
import { finiteOrNull } from "../summary/exact-moments.ts";
import type { Changes } from "./changes.ts";
import type { CorrectedDifference, Correction } from "./corrected.ts";
import { estimate, type Estimate } from "./estimate.ts";
import { familyOf, type Family } from "./family.ts";
import type { PairSums } from "./pair-sums.ts";
import type { Rank } from "./ranks.ts";
import type { ComparedRows, Sliced } from "./slices.ts";
import type { Slicing } from "../summary/slicing.ts";

type Told<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/**
 * Compares one score dimension of one candidate with the baseline, over the rows on which both have a value; a row's
 * value is the mean of its trials. A quantity that does not exist is null.
 */
export interface Comparison extends ComparedRows, Told<Sliced>, CountedTrials {
  /** Id of the baseline. */
  readonly baseline: string;
  /** Id of the candidate. */
  readonly candidate: string;
  /** The scorer. */
  readonly scorer_key: string;
  /** Members below the scorer, joined by dots; null where the score itself is the value. */
  readonly path: string | null;
  /** `binary` where the values of both are true and false, otherwise `continuous`. */
  readonly value_type: "continuous" | "binary";
  /** Whether numbers are a rate: all values of both are 0 or 1, and everything is as of true and false. */
  readonly rate?: true | undefined;
  /** Of what rows cost alone, of which less is better: money, in the currency of the prices. */
  readonly unit?: "money" | undefined;
  /**
   * Which way is good: as the request says, else the candidate, else the baseline; of true and false and of rates
   * higher, of costs lower; null where nobody says.
   */
  readonly direction: Direction;
  /** Tasks with such rows; by `model` alone, where the counts of rows are those of the tasks that both models have. */
  readonly task_count?: number | undefined;
  /** Rows on which only the baseline has a trial. */
  readonly n_only_baseline: number;
  /** Rows on which only the candidate has a trial. */
  readonly n_only_candidate: number;
  /**
   * Rows on which both have trials, and of which the key is the same and the content is not; whether or not they are
   * left out.
   */
  readonly n_edited: number;
  /** Rows on which both have trials but only the candidate has a value. */
  readonly n_missing_baseline: number;
  /** Rows on which both have trials but only the baseline has a value. */
  readonly n_missing_candidate: number;
  /**
   * The interval adjusted for the other comparisons: all of an answer hold together with its confidence. Where the
   * verdict (Holm) is sharper, the end next to 0 lies on the side of 0 that the verdict is on. It leaves out 0 exactly
   * where `p_value_adjusted` is at most 1 − confidence.
   */
  readonly adjusted_confidence_interval: Interval | null;
  /** Where the answer has several pairs: what one about this pair alone says. `verdict` may say less, never more. */
  readonly alone?: { readonly p_value_adjusted: number | null; readonly verdict: Verdict } | undefined;
  /** Adjusted p value of two one-sided tests that the difference lies within ±`margin`; null without `margin`. */
  readonly equivalence_p_value_adjusted: number | null;
  /** Why there is no verdict: no value, one row, too few clusters; null where there was a test. */
  readonly reason: string | null;
  /**
   * The smallest |difference| that would have been found four times in five, by this test among so many comparisons;
   * null unless the verdict is inconclusive, and where so few rows could show none.
   */
  readonly minimum_detectable_effect: number | null;
  /**
   * Rows that would find a difference as small as this one four times in five; null where the effect is, and for a
   * difference of 0.
   */
  readonly rows_to_detect: number | null;
  /**
   * How labels of people corrected the difference; null without `corrected_by`. The rows below are those of the judge.
   */
  readonly correction: Correction | null;
}

/** Where one evaluation may stand among all in one score. */
export interface ScoreRank extends Rank {
  /** Id of the evaluation. */
  readonly evaluation_call_id: string;
  /** The scorer. */
  readonly scorer_key: string;
  /** Members below the scorer, joined by dots; null where the score itself is the value. */
  readonly path: string | null;
}

/** The answer of `compareEvaluations`. */
export interface ComparisonAnswer {
  /** Confidence level of the intervals, and 1 − α of the verdicts. */
  readonly confidence: number;
  /** How p values are adjusted for multiple comparisons; `ranges` where the baseline was chosen for its mean. */
  readonly adjust: PairAdjustment;
  /** Number of comparisons with a p value, which `adjust` adjusts for. */
  readonly family_size: number;
  /** One comparison per candidate and dimension. */
  readonly comparisons: readonly Comparison[];
  /** What changed beside the scores, one a pair of a baseline and a candidate. */
  readonly changes: readonly Changes[];
  /** How the common rows fall into slices; only where the request names fields in `by`. */
  readonly slicing?: Slicing | undefined;
  /**
   * Where evaluations may stand in each score; null unless the baseline was chosen for its mean (`baseline_is_best`).
   */
  readonly ranks: readonly ScoreRank[] | null;
  /** Sentences on how the two sides are unlike, and remarks on the request for the reader. */
  readonly warnings: readonly string[];
  /** Sentences on what trials without a value count as; only with `count_errors_as` or `count_nulls_as`. */
  readonly notes?: readonly string[] | undefined;
}

/** Input of one comparison, before p values are adjusted across comparisons. */
export interface ComparisonInput {
  readonly baseline: string;
  readonly candidate: string;
  readonly path: readonly string[];
  /** What is said of it; of true and false and of rates that need not be said. */
  readonly direction: Direction;
  /** Whether the values of both sides are booleans. */
  readonly binary: boolean;
  /** Whether they are so but for numbers, all 0 or 1. */
  readonly rate?: boolean;
  /** Why nothing is compared; null where both sides have values. */
  readonly reason: string | null;
  readonly rows: Pick<
    Comparison,
    "n_only_baseline" | "n_only_candidate" | "n_missing_baseline" | "n_missing_candidate" | "n_edited"
  >;
  /** null without common rows. */
  readonly sums: PairSums | null;
  readonly counted?: CountedTrials;
  /** Whether the sums are of several tasks. */
  readonly pooled?: boolean;
  readonly unit?: "money";
  /** Replaces the difference, its test and the means, see `corrected_by`. */
  readonly corrected?: CorrectedDifference;
}

/** Adjusts p values of all inputs, in their order. */
export interface Adjusting {
  readonly differences: (p: readonly (number | null)[]) => Family;
  /** Of tests against the margin. */
  readonly equivalences: (p: readonly (number | null)[]) => readonly (number | null)[];
}

interface ComparisonOptions {
  readonly confidence: number;
  readonly margin: number | null;
  readonly adjusting: Adjusting;
  /** How the scores of one pair are adjusted for each other; null where no pair has a family of its own. */
  readonly alone: Adjustment | null;
}

/** Adjusts as a request asks for, see `adjust`, in a family that is `times` as large, see {@link familyOf}. */
export function adjustingBy(adjust: Adjustment, confidence: number, times = 1): Adjusting {
  const family = (p: readonly (number | null)[]) => familyOf(p, adjust, 1 - confidence, times);
  return { differences: family, equivalences: (p) => family(p).adjusted };
}

/** Computes all comparisons with their verdicts; p values are adjusted across all of them. */
export async function compareAll(
  inputs: readonly ComparisonInput[],
  options: ComparisonOptions,
  signal: AbortSignal | undefined,
): Promise<{ readonly familySize: number; readonly comparisons: Comparison[] }> {
  const estimates = await mapInSlices(
    inputs,
    ({ sums, binary, rate, corrected }) =>
      corrected?.estimate ?? estimate(sums, binary || rate === true, options.margin),
    signal,
  );
  const { adjusting, confidence } = options;
  const family = adjusting.differences(estimates.map(({ p }) => p));
  const equivalences = adjusting.equivalences(estimates.map(({ equivalence }) => equivalence));
  const alone = adjustAlone(inputs, estimates, options);
  const pairs = inputs.flatMap((input, i) => {
    const own = estimates[i];
    if (own === undefined) return [];
    const among = { p: family.adjusted[i] ?? null, equivalence: equivalences[i] ?? null };
    const ofPair = alone[i] ?? null;
    return [{ input, own, among: ofPair === null ? among : atLeast(among, ofPair), alone: ofPair }];
  });
  return {
    familySize: family.size,
    comparisons: await mapInSlices(pairs, (one) => compareOne(one, family, confidence), signal),
  };
}

/** p values of a difference and of its equivalence, after they are adjusted. */
type AdjustedTests = Readonly<Record<"p" | "equivalence", number | null>>;

/** Adjusts the p values of each pair for its scores alone; none where there is one pair. */
function adjustAlone(
  inputs: readonly ComparisonInput[],
  estimates: readonly Estimate[],
  { alone, confidence }: ComparisonOptions,
): AdjustedTests[] {
  if (alone === null) return [];
  const { differences, equivalences } = adjustingBy(alone, confidence);
  const pairs = grouped(inputs.keys(), (i) => JSON.stringify([inputs[i]?.baseline, inputs[i]?.candidate]));
  if (pairs.size < 2) return [];
  const found = new Map<number, AdjustedTests>();
  for (const places of pairs.values()) {
    const { adjusted } = differences(places.map((i) => estimates[i]?.p ?? null));
    const equivalent = equivalences(places.map((i) => estimates[i]?.equivalence ?? null));
    for (const [k, i] of places.entries())
      found.set(i, { p: adjusted[k] ?? null, equivalence: equivalent[k] ?? null });
  }
  return inputs.map((_, i) => found.get(i) ?? { p: null, equivalence: null });
}

/** No answer says more of a pair than one about it alone. */
function atLeast(among: AdjustedTests, alone: AdjustedTests): AdjustedTests {
  const larger = (test: keyof AdjustedTests) =>
    among[test] === null ? null : Math.max(among[test], alone[test] ?? 0);
  return { p: larger("p"), equivalence: larger("equivalence") };
}

interface Adjusted {
  readonly input: ComparisonInput;
  readonly own: Estimate;
  readonly among: AdjustedTests;
  /** Among those of the pair; null where these are all. */
  readonly alone: AdjustedTests | null;
}

function compareOne({ input, own, among, alone }: Adjusted, family: Family, confidence: number): Comparison {
  const { sums, path } = input;
  const { difference } = own;
  const alpha = 1 - confidence;
  const direction = input.direction ?? (input.binary || input.rate === true ? "higher" : null);
  const isLower = direction === null ? null : direction === "lower";
  const judge = (tests: AdjustedTests) => verdict({ difference, ...tests }, alpha, isLower);
  const [whole, pair] = [judge(among), judge(alone ?? among)];
  const judged = whole === pair ? whole : "inconclusive";
  const shown = (p: number | null) => p !== null && p <= alpha;
  return {
    baseline: input.baseline,
    candidate: input.candidate,
    ...scorePlace(path),
    value_type: input.binary ? "binary" : "continuous",
    ...(input.rate === true ? { rate: true as const } : {}),
    ...(input.unit === undefined ? {} : { unit: input.unit }),
    direction,
    n_common: sums?.differences.n ?? 0,
    ...(input.pooled === true ? { task_count: sums?.pooled?.tasks.length ?? 0 } : {}),
    ...input.rows,
    ...meansOf(input),
    difference,
    standard_error: own.error,
    confidence_interval: agreeing(own.intervalAt(alpha), difference, shown(own.p)),
    adjusted_confidence_interval: agreeing(own.intervalAt(family.level), difference, shown(among.p)),
    method: own.method,
    p_value: own.p,
    p_value_adjusted: among.p,
    equivalence_p_value_adjusted: among.equivalence,
    verdict: judged,
    ...(alone === null ? {} : { alone: { p_value_adjusted: alone.p, verdict: pair } }),
    reason: input.reason ?? own.reason,
    ...detection(own, judged, family.detection),
    ...countRows(input, isLower === true),
  };
}

/** The means of both sides, and what corrected them. */
function meansOf({ sums, corrected }: ComparisonInput) {
  return {
    baseline_mean: (corrected ?? sums)?.baselineMean ?? null,
    candidate_mean: (corrected ?? sums)?.candidateMean ?? null,
    correction: corrected?.correction ?? null,
  };
}

/** How near to 0 an end comes that leaves it out, as a share of the difference. */
const BESIDE = 1e-6;

/** Leaves out 0 exactly where the difference is shown: where interval and test disagree, the end next to 0 moves. */
function agreeing(interval: Interval | null, difference: number | null, shown: boolean): Interval | null {
  if (interval === null || difference === null) return null;
  const [low, high] = interval;
  if (shown === (low > 0 || high < 0)) return interval;
  const end = shown ? difference * BESIDE : 0;
  return difference > 0 ? [end, high] : [low, end];
}

/** What would have shown, where nothing did. */
function detection(
  { sample, difference }: Estimate,
  judged: Verdict,
  alpha: number,
): Pick<Comparison, "minimum_detectable_effect" | "rows_to_detect"> {
  if (sample === null || judged !== "inconclusive")
    return { minimum_detectable_effect: null, rows_to_detect: null };
  return {
    minimum_detectable_effect: finiteOrNull(detectableDifference(sample, { alpha })),
    rows_to_detect:
      difference === null || difference === 0 ? null : rowsToDetect(sample, Math.abs(difference), { alpha }),
  };
}

/** Counts the rows on which the candidate is better, worse and equal, and the trials that count without a value. */
function countRows({ sums, counted }: ComparisonInput, lowerIsBetter: boolean) {
  const n = sums?.differences.n ?? 0;
  const [higher, lower] = [sums?.higher ?? 0, sums?.lower ?? 0];
  return {
    rows_improved: lowerIsBetter ? lower : higher,
    rows_regressed: lowerIsBetter ? higher : lower,
    rows_tied: n - higher - lower,
    ...counted,
  };
}
