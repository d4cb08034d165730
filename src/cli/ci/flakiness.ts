import { mean, type Interval } from "../../stats/estimates/mean.ts";
import { holm } from "../../stats/tests/multiplicity.ts";
import { pairedTest, studentTest } from "../../stats/tests/paired.ts";
import {
  counted,
  differenceIntervalText,
  differenceText,
  intervalName,
  meanText,
} from "../../words/figures.ts";
import { isBeyond, type PairGate } from "../gates/parse-gate.ts";
import type { Loaded } from "./compare-pairs.ts";
import type { Pair } from "./pair-suites.ts";
import { countedScore, type CountsAs, pathName, sameScore, valuesOn, type SuiteScore } from "./suite.ts";

/** How much more often two trials of a row differ in a candidate than in its baseline, in one score. */
interface Flakiness {
  readonly score: string;
  /** The chance that two trials of a row differ, over the rows; null without any. */
  readonly baseline: number | null;
  readonly candidate: number | null;
  readonly difference: number | null;
  readonly confidence_interval: Interval | null;
  readonly p_value: number | null;
  /** By Holm, over all scores of all pairs. */
  readonly p_value_adjusted: number | null;
  /** Rows with two known trials or more on both sides. */
  readonly n_rows: number;
  /** Rows with one known trial on a side. */
  readonly n_left_out: number;
}

/** What a gate goes by as well. */
interface Shown {
  /** Whether the test shows a difference, and still does with two rows more. */
  readonly shown: boolean;
}

/** The flakiness of each pair, by the id of its candidate, in scores of true and false, or of 0 and 1. */
export function flakinessOf(
  loaded: readonly Loaded[],
  confidence: number,
  counts: CountsAs = {},
): ReadonlyMap<string, readonly (Flakiness & Shown)[]> {
  const found = loaded.flatMap(({ id, pair }) =>
    pair === null
      ? []
      : pair.scores.flatMap((score) =>
          estimateIn(pair, score, confidence, counts).map((one) => ({ id, one })),
        ),
  );
  const tested = found.filter(({ one }) => one.p_value !== null);
  const adjusted = holm(tested.flatMap(({ one }) => one.p_value ?? []));
  const withMore = holm(tested.map(({ one }) => one.pWithMore));
  const told = found.map(({ id, one: { pWithMore: _more, ...one } }) => {
    const place = tested.findIndex((own) => own.id === id && own.one.score === one.score);
    const p = adjusted[place] ?? null;
    const shown = Math.max(p ?? 1, withMore[place] ?? 1) <= 1 - confidence;
    return { id, one: { ...one, p_value_adjusted: p, shown } };
  });
  return new Map(loaded.map(({ id }) => [id, told.filter((own) => own.id === id).map(({ one }) => one)]));
}

/** By the paired t test over rows, of equal differences by their signs; nothing for a score that is no rate. */
function estimateIn(
  { baseline, candidate }: Pair,
  score: SuiteScore,
  confidence: number,
  counts: CountsAs,
): (Omit<Flakiness, "p_value_adjusted"> & { readonly pWithMore: number })[] {
  const now = sameScore(candidate, score);
  const own = valuesOn(baseline.rows, candidate, now && countedScore(candidate, now, counts));
  const before = valuesOn(baseline.rows, baseline, countedScore(baseline, score, counts));
  const both = before.map((values, i) => [values, own[i] ?? []] as const);
  if (both.flat(2).some((value) => Number(value) !== 0 && Number(value) !== 1)) return [];
  const rows = both.filter((sides) => sides.every(({ length }) => length > 1));
  const known = both.filter((sides) => sides.every(({ length }) => length > 0)).length;
  const [was, is] = [0, 1].map((side) => rows.map((sides) => disagreement(sides[side] ?? [])));
  const test = pairedTest(is ?? [], was ?? [], { confidence });
  const { n, difference, p_value, confidence_interval } = test;
  return [
    {
      score: pathName(score.path),
      baseline: mean(was ?? []),
      candidate: mean(is ?? []),
      difference,
      confidence_interval,
      p_value,
      n_rows: n,
      n_left_out: known - n,
      pWithMore: pWithMoreRows(test),
    },
  ];
}

/**
 * The p value with the squares of two more rows, of which one differs in the candidate alone and one in the baseline
 * alone: where a side has few trials its differences are skewed, and t alone is met too often among many scores.
 */
function pWithMoreRows({ n, difference, standard_error: error }: ReturnType<typeof pairedTest>): number {
  const more = Math.sqrt((error ?? 0) ** 2 + 2 / (n * (n - 1)));
  return studentTest(difference, more, n - 1).p_value ?? 1;
}

/** The chance that two of these trials, which are true or false, differ: without bias, however many there are. */
function disagreement(trials: readonly (number | boolean)[]): number {
  const n = trials.length;
  const k = trials.filter((value) => Number(value) === 1).length;
  return (2 * k * (n - k)) / (n * (n - 1));
}

/** Why a gate on flakiness is met, a line a score; one whose flakiness is not known meets it. */
export function flakyReasons(
  { threshold }: Extract<PairGate, { kind: "flaky" }>,
  found: readonly (Flakiness & Shown)[],
  {
    label,
    whose,
    confidence,
  }: { readonly label: string; readonly whose: string; readonly confidence: number },
): string[] {
  if (found.length === 0) return [`${label} has no score of true and false on both sides`];
  return found.flatMap((one) => {
    const { difference, p_value_adjusted: p, confidence_interval: interval } = one;
    const left = one.n_left_out === 0 ? "" : `, ${one.n_left_out} left out`;
    if (difference === null || p === null)
      return [`${label} has fewer than two rows with two trials in ${one.score} on both sides${left}`];
    if (!isBeyond(difference, threshold) || !one.shown) return [];
    const range =
      interval === null ? "" : ` (${intervalName(confidence)} ${differenceIntervalText(interval, "binary")})`;
    const chances = `${meanText(one.candidate, "binary")} in ${one.score}${whose}, ${meanText(one.baseline, "binary")} in the baseline`;
    return [
      `two trials of a row differ with chance ${chances}: ${differenceText(difference, "binary")}${range} on ${counted(one.n_rows, "row")}${left}`,
    ];
  });
}
