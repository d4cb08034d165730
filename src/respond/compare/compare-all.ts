import { scorePlace } from "../../model/field-path.ts";
import { grouped } from "../../model/grouped.ts";
import { mapInSlices } from "../../model/turns.ts";
import type { Adjustment } from "../../request/compare-request.ts";
import type { Interval } from "../../stats/estimates/mean.ts";
import { detectableDifference, rowsToDetect } from "../../stats/tests/power.ts";
import { verdict, type Verdict } from "../../stats/tests/verdict.ts";
import { finiteOrNull } from "../summary/exact-moments.ts";
import { estimate, type Estimate } from "./estimate.ts";
import { familyOf, type Family } from "./family.ts";
import type { Comparison, ComparisonInput } from "./comparison.ts";

/** Adjusts p values of all inputs, in their order. */
export interface Adjusting {
  readonly differences: (p: readonly (number | null)[]) => Family;
  /** The p values of tests against the margin. */
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
