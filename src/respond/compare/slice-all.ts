import { mapInSlices } from "../../model/turns.ts";
import type { ExactMoments } from "../../plan/results.ts";
import type { Adjustment } from "../../request/compare-request.ts";
import { isShown } from "../../stats/tests/verdict.ts";
import { normalCdf } from "../../stats/numeric/distributions.ts";
import { exactAverage, exactDeviation } from "../summary/exact-moments.ts";
import { compareValues, type SliceValue, type Slicing } from "../summary/slicing.ts";
import type { Comparison, ComparisonInput } from "./comparison.ts";
import { adjustingBy, compareAll } from "./compare-all.ts";
import { familyOf } from "./family.ts";
import type { PairSums } from "./pair-sums.ts";
import type { ComparedSlicing, ExplainedBy, Slice, Sliced } from "./slices.ts";

/** The slices that one or two fields make. */
export interface SliceChoice {
  readonly slicing: Slicing;
  /** Those that are judged. */
  readonly values: readonly (readonly SliceValue[])[];
}

/**
 * A comparison of all rows, and the sums of its slices; `choice` and `slice` are places in the choices and in their
 * values.
 */
export interface WholeComparison {
  readonly comparison: Comparison;
  readonly input: ComparisonInput;
  readonly sums: (choice: number, slice: number) => PairSums | null;
  /** Common rows with a value of the fields. */
  readonly withField: (choice: number) => number;
}

interface SliceOptions {
  readonly confidence: number;
  readonly margin: number | null;
  readonly adjust: Adjustment;
  /**
   * How many times as many pairs of evaluations there are as were compared, where the baseline was chosen among all.
   */
  readonly times: number;
}

/**
 * Judges the slices of every comparison, which are a family of their own together with those of all other choices. Of
 * several choices that is taken whose slice stands out most: in the comparisons with a verdict of better or worse, else
 * in all.
 */
export async function sliceAll(
  wholes: readonly WholeComparison[],
  choices: readonly [SliceChoice, ...SliceChoice[]],
  options: SliceOptions,
  signal: AbortSignal | undefined,
): Promise<{ readonly slicing: ComparedSlicing; readonly comparisons: Comparison[] }> {
  const { confidence, margin, adjust, times } = options;
  const standing = await mapInSlices(wholes, (whole) => standOut(whole, choices, confidence), signal);
  const chosen = mostTelling(wholes, standing, choices.length);
  const choice = choices[chosen] ?? choices[0];
  // Choosing one of several fields costs: whatever was tried counts.
  const tried = wholes.flatMap(({ input, sums }) =>
    choices.flatMap(({ values }, at) =>
      values.map((_, i) => ({ at, input: { ...input, rows: NO_ROWS, sums: sums(at, i) } })),
    ),
  );
  const adjusting = adjustingBy(adjust, confidence, times);
  const { comparisons: judged, familySize } = await compareAll(
    tried.map(({ input }) => input),
    { confidence, margin, adjusting, alone: null, isTold: (i) => tried[i]?.at === chosen },
    signal,
  );
  const size = choice.values.length;
  return {
    slicing: { ...choice.slicing, family_size: familySize },
    comparisons: wholes.map((whole, i): Comparison => {
      const own = judged.slice(i * size, (i + 1) * size);
      const slices = slicesOf(whole, choice, chosen, own);
      const { comparison, withField } = whole;
      const sliced: Sliced = {
        n_without_field: comparison.n_common - withField(chosen),
        slices,
        explained_by: explanation(comparison, choice, slices, standing[i]?.[chosen] ?? [], 1 - confidence),
      };
      return { ...comparison, ...sliced };
    }),
  };
}

const NO_ROWS = {
  n_only_baseline: 0,
  n_only_candidate: 0,
  n_missing_baseline: 0,
  n_missing_candidate: 0,
  n_edited: 0,
};

/** How a slice differs from all other rows; null where either has too few. */
interface StandsOut {
  readonly value: readonly SliceValue[];
  readonly p: number | null;
  readonly adjusted: number | null;
  readonly rest: ExactMoments | null;
}

const LEAST_ROWS = 5;

/** Compares each slice of each choice with the other rows; p values are adjusted (Holm) over all of them. */
function standOut(
  { input, sums }: WholeComparison,
  choices: readonly SliceChoice[],
  confidence: number,
): StandsOut[][] {
  const whole = input.sums?.differences ?? null;
  const found = choices.map(({ values }, choice) =>
    values.map((value, i) => ({ value, ...againstRest(whole, sums(choice, i)?.differences ?? null) })),
  );
  const { adjusted } = familyOf(
    found.flat().map(({ p }) => p),
    "holm",
    1 - confidence,
  );
  let next = 0;
  return found.map((list) => list.map((one) => ({ ...one, adjusted: adjusted[next++] ?? null })));
}

/** z of the mean difference of a slice less that of the other rows, with the spread of all rows. */
function againstRest(whole: ExactMoments | null, slice: ExactMoments | null): Pick<StandsOut, "p" | "rest"> {
  if (whole === null || slice === null) return { p: null, rest: null };
  const rest = {
    ...whole,
    n: whole.n - slice.n,
    sum: whole.sum - slice.sum,
    squares: whole.squares - slice.squares,
  };
  const spread = exactDeviation(whole);
  if (slice.n < LEAST_ROWS || rest.n < LEAST_ROWS || spread === null || spread === 0)
    return { p: null, rest };
  const error = spread * Math.sqrt(1 / slice.n + 1 / rest.n);
  const z = (exactAverage(slice) - exactAverage(rest)) / error;
  return { p: 2 * normalCdf(-Math.abs(z)), rest };
}

/** Above any p value. */
const NONE = 2;

/** The choice with the least p value, of equal ones the first. */
function mostTelling(
  wholes: readonly WholeComparison[],
  standing: readonly (readonly (readonly StandsOut[])[])[],
  count: number,
): number {
  const shown = standing.filter((_, i) => isShown(wholes[i]?.comparison.verdict));
  const among = shown.length > 0 ? shown : standing;
  const least = Array.from({ length: count }, (_, choice) =>
    among.flatMap((one) => one[choice] ?? []).reduce((all, { p }) => Math.min(all, p ?? NONE), NONE),
  );
  return least.reduce((best, p, i) => (p < (least[best] ?? NONE) ? i : best), 0);
}

/** The slices of one comparison in the order of the answer. */
function slicesOf(
  { comparison, sums }: WholeComparison,
  { values }: SliceChoice,
  choice: number,
  judged: readonly Comparison[],
): Slice[] {
  const slices = judged.map((one, i): Slice => {
    const own = sums(choice, i)?.differences;
    const n = comparison.n_common;
    const part = own === undefined ? 0 : exactAverage({ ...own, n });
    return {
      value: values[i] ?? [],
      n_common: one.n_common,
      baseline_mean: one.baseline_mean,
      candidate_mean: one.candidate_mean,
      difference: one.difference,
      standard_error: one.standard_error,
      confidence_interval: one.confidence_interval,
      method: one.method,
      p_value: one.p_value,
      p_value_adjusted: one.p_value_adjusted,
      verdict: one.verdict,
      ...(one.equivalence_interval === undefined ? {} : { equivalence_interval: one.equivalence_interval }),
      rows_improved: one.rows_improved,
      rows_regressed: one.rows_regressed,
      rows_tied: one.rows_tied,
      contribution: n === 0 ? null : part,
    };
  });
  const direction = (comparison.difference ?? 0) < 0 ? -1 : 1;
  const size = ({ contribution }: Slice) => direction * (contribution ?? 0);
  return slices.toSorted((a, b) => size(b) - size(a) || compareValues(a.value, b.value));
}

/** The slice of largest contribution, where a shown difference comes from it for the most part. */
function explanation(
  { verdict, difference }: Comparison,
  { slicing }: SliceChoice,
  [first]: readonly Slice[],
  standing: readonly StandsOut[],
  alpha: number,
): ExplainedBy | null {
  const found = standing.find(({ value }) => value === first?.value);
  if (!isShown(verdict) || slicing.overlapping || difference === null || difference === 0) return null;
  if (first?.contribution == null || first.difference === null || first.verdict !== verdict) return null;
  const share = first.contribution / difference;
  const { adjusted = null, rest = null } = found ?? {};
  if (!(share > 0.5) || adjusted === null || adjusted > alpha || rest === null) return null;
  return {
    value: first.value,
    contribution: first.contribution,
    share,
    n_common: first.n_common,
    difference: first.difference,
    rest_n_common: rest.n,
    rest_difference: exactAverage(rest),
    p_value_adjusted: adjusted,
  };
}
