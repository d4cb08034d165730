import { scorePlace } from "../../model/field-path.ts";
import type { Direction } from "../../model/direction.ts";
import { grouped } from "../../model/grouped.ts";
import { mapInSlices } from "../../model/turns.ts";
import type { Adjustment } from "../../request/compare-request.ts";
import type { Interval } from "../../stats/estimates/mean.ts";
import { detectableDifference, rowsToDetect } from "../../stats/tests/power.ts";
import { verdict, type Verdict } from "../../stats/tests/verdict.ts";
import { finiteOrNull } from "../summary/exact-moments.ts";
import { estimate, type Estimate } from "./estimate.ts";
import type { WithinMargin } from "./slices.ts";
import { familyOf, type Family } from "./family.ts";
import type { Comparison, ComparisonInput } from "./comparison.ts";

/** Adjusts p values of all inputs, in their order. */
export interface Adjusting {
  readonly differences: (p: readonly (number | null)[]) => Family;
  /** The p values of claims against the margin. */
  readonly claims: (p: readonly (number | null)[]) => readonly (number | null)[];
}

interface ComparisonOptions {
  readonly confidence: number;
  readonly margin: number | null;
  readonly adjusting: Adjusting;
  /** How the scores of one pair are adjusted for each other; null where no pair has a family of its own. */
  readonly alone: Adjustment | null;
  /** Which inputs become comparisons, by place; the others only count in the family. Default: all. */
  readonly isTold?: (place: number) => boolean;
}

/** Adjusts as a request asks for, see `adjust`, in a family that is `times` as large, see {@link familyOf}. */
export function adjustingBy(adjust: Adjustment, confidence: number, times = 1): Adjusting {
  const family = (p: readonly (number | null)[]) => familyOf(p, adjust, 1 - confidence, times);
  return { differences: family, claims: (p) => family(p).adjusted };
}

/** Computes all comparisons with their verdicts; p values are adjusted across all of them. */
export async function compareAll(
  inputs: readonly ComparisonInput[],
  options: ComparisonOptions,
  signal: AbortSignal | undefined,
): Promise<{ readonly familySize: number; readonly comparisons: Comparison[] }> {
  const { adjusting, confidence, margin, isTold = () => true } = options;
  const tested = await mapInSlices(
    inputs,
    (input) => {
      const own = input.corrected?.estimate ?? estimate(input.sums, isPass(input));
      return { input, own, tests: { p: own.p, ...claimsOf(own, directionOf(input), margin) } };
    },
    signal,
  );
  const family = adjusting.differences(tested.map(({ tests }) => tests.p));
  const among = adjusted(tested, adjusting, family.adjusted);
  const alone = adjustAlone(tested, options);
  const pairs = tested.flatMap((one, i) => {
    const [own, ofPair = null] = [among[i], alone[i]];
    return own === undefined || !isTold(i)
      ? []
      : [{ ...one, among: ofPair === null ? own : atLeast(own, ofPair), alone: ofPair }];
  });
  return {
    familySize: family.size,
    comparisons: await mapInSlices(pairs, (one) => compareOne(one, family, { confidence, margin }), signal),
  };
}

/** p values of a difference, of its equivalence and of its being not worse. */
type Tests = Readonly<Record<"p" | "equivalence" | "notWorse", number | null>>;

/** A comparison with its tests, before they are adjusted. */
interface Tested {
  readonly input: ComparisonInput;
  readonly own: Estimate;
  readonly tests: Tests;
}

function isPass({ binary, rate }: ComparisonInput): boolean {
  return binary || rate === true;
}

function directionOf(input: ComparisonInput): Direction {
  return input.direction ?? (isPass(input) ? "higher" : null);
}

function claimsOf({ oneSided }: Estimate, direction: Direction, margin: number | null): Omit<Tests, "p"> {
  if (oneSided === null || margin === null) return { equivalence: null, notWorse: null };
  const [above, below] = [oneSided.above(-margin), oneSided.below(margin)];
  const notWorse = direction === null ? null : direction === "lower" ? below : above;
  return { equivalence: Math.max(above, below), notWorse };
}

function adjusted(
  tested: readonly Tested[],
  { claims }: Pick<Adjusting, "claims">,
  differences: readonly (number | null)[],
): Tests[] {
  const equivalences = claims(tested.map(({ tests }) => tests.equivalence));
  const notWorse = claims(tested.map(({ tests }) => tests.notWorse));
  return tested.map((_, i) => ({
    p: differences[i] ?? null,
    equivalence: equivalences[i] ?? null,
    notWorse: notWorse[i] ?? null,
  }));
}

/** Adjusts the p values of each pair for its scores alone; none where there is one pair. */
function adjustAlone(tested: readonly Tested[], { alone, confidence }: ComparisonOptions): Tests[] {
  if (alone === null) return [];
  const adjusting = adjustingBy(alone, confidence);
  const pairs = grouped(tested, ({ input }) => JSON.stringify([input.baseline, input.candidate]));
  if (pairs.size < 2) return [];
  const found = new Map<Tested, Tests>();
  for (const own of pairs.values()) {
    const differences = adjusting.differences(own.map(({ tests }) => tests.p));
    for (const [i, tests] of adjusted(own, adjusting, differences.adjusted).entries()) {
      const one = own[i];
      if (one !== undefined) found.set(one, tests);
    }
  }
  return tested.flatMap((one) => found.get(one) ?? []);
}

/** No answer says more of a pair than one about it alone. */
function atLeast(among: Tests, alone: Tests): Tests {
  const larger = (test: keyof Tests) =>
    among[test] === null ? null : Math.max(among[test], alone[test] ?? 0);
  return { p: larger("p"), equivalence: larger("equivalence"), notWorse: larger("notWorse") };
}

interface Adjusted extends Tested {
  readonly among: Tests;
  /** Among those of the pair; null where these are all. */
  readonly alone: Tests | null;
}

function compareOne(
  one: Adjusted,
  family: Family,
  { confidence, margin }: Pick<ComparisonOptions, "confidence" | "margin">,
): Comparison {
  const { input, own, among, alone } = one;
  const { difference } = own;
  const alpha = 1 - confidence;
  const direction = directionOf(input);
  const isLower = direction === null ? null : direction === "lower";
  const judge = (all: Tests) => verdict({ difference, ...all }, alpha, isLower);
  const [whole, pair] = [judge(among), judge(alone ?? among)];
  const judged = whole === pair ? whole : "inconclusive";
  const shown = (p: number | null) => p !== null && p <= alpha;
  return {
    baseline: input.baseline,
    candidate: input.candidate,
    ...scorePlace(input.path),
    ...kindOf(input),
    direction,
    ...rowsOf(input),
    ...meansOf(input),
    difference,
    standard_error: own.error,
    confidence_interval: agreeing(own.intervalAt(alpha), difference, shown(own.p)),
    adjusted_confidence_interval: agreeing(own.intervalAt(family.level), difference, shown(among.p)),
    method: own.method,
    p_value: own.p,
    p_value_adjusted: among.p,
    equivalence_p_value_adjusted: among.equivalence,
    ...(margin === null ? {} : againstMargin(one, family.each, alpha)),
    verdict: judged,
    ...(alone === null ? {} : { alone: { p_value_adjusted: alone.p, verdict: pair } }),
    reason: input.reason ?? own.reason,
    ...detection(own, judged, family.detection),
    ...countRows(input, isLower === true),
  };
}

function kindOf({ binary, rate, unit }: ComparisonInput) {
  return {
    value_type: binary ? ("binary" as const) : ("continuous" as const),
    ...(rate === true ? { rate } : {}),
    ...(unit === undefined ? {} : { unit }),
  };
}

function rowsOf({ sums, pooled, rows }: ComparisonInput) {
  return {
    n_common: sums?.differences.n ?? 0,
    ...(pooled === true ? { task_count: sums?.pooled?.tasks.length ?? 0 } : {}),
    ...rows,
  };
}

/** What is claimed of the margin, with the bounds at a level. */
function againstMargin(
  { input, own: { oneSided }, tests, among }: Adjusted,
  level: number,
  alpha: number,
): WithinMargin {
  const direction = directionOf(input);
  const bounds = oneSided?.boundsAt(level) ?? null;
  const [low, high] = bounds ?? [null, null];
  const end = direction === "lower" ? high : low === null ? null : -low;
  return {
    equivalence_p_value: tests.equivalence,
    equivalence_interval: bounds,
    not_worse: among.notWorse === null ? null : among.notWorse <= alpha,
    not_worse_p_value: tests.notWorse,
    not_worse_p_value_adjusted: among.notWorse,
    worst_loss: end === null || direction === null ? null : Math.max(0, end),
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

/** Of fewer rows the spread is not known well enough to say how many would do. */
const LEAST_TO_DETECT = 10;

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
      difference === null || difference === 0 || sample.n < LEAST_TO_DETECT
        ? null
        : rowsToDetect(sample, Math.abs(difference), { alpha }),
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
