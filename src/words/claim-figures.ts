import type { PairAdjustment } from "../request/compare-request.ts";
import type { ComparedSlicing, Slice } from "../respond/compare/slices.ts";
import type { SliceValue } from "../respond/summary/slicing.ts";
import type { Comparison } from "../respond/compare/comparison.ts";
import type { Interval } from "../stats/estimates/mean.ts";
import {
  chanceText,
  counted,
  countText,
  differenceIntervalText,
  differenceText,
  intervalName,
  meanText,
  sizeText,
  type ValueType,
} from "./figures.ts";
import { isShownAlone, sliceSentence } from "./slices.ts";
import type { Score } from "./score.ts";
import { say, type Name, type Sentence } from "./sentence.ts";
import { saysLess, sideWords, standingOf } from "./standings.ts";

/** What a comparison was asked for with. */
export interface ComparisonTerms {
  /** A share, from the answer. */
  readonly confidence: number;
  /** From the request, in units of the score; null if it has none. */
  readonly margin: number | null;
  /** Comparisons that p values and intervals are adjusted for. */
  readonly familySize: number;
  readonly adjust: PairAdjustment;
  /** The slices of the answer; absent without any. */
  readonly slicing?: ComparedSlicing | undefined;
  /** How the value of a slice is called; as it is by default. */
  readonly told?: ((value: SliceValue) => string) | undefined;
}

/**
 * The figures behind a claim, as one text: means, difference, interval, p and shared rows, then what they mean and
 * which slice they come from. null where no row is shared.
 */
export function claimFigures(
  comparison: Comparison | null,
  score: Score,
  terms: ComparisonTerms,
): string | null {
  const standing = standingOf(comparison);
  if (comparison === null || standing === "none") return null;
  if (standing === "few")
    return comparison.n_common === 1 ? "1 shared row; at least 2 are needed." : `${comparison.reason}.`;
  const sliced = sliceSentence(comparison, terms.slicing, terms.told);
  const said = [figuresOf(comparison, score, terms), ...consequences(comparison, score, terms)];
  return [...said, ...(sliced === null ? [] : [sliced])].join(" ");
}

function figuresOf(one: Comparison, { value_type: type }: Score, terms: ComparisonTerms): string {
  const means = `${meanText(one.candidate_mean, type)} against ${meanText(one.baseline_mean, type)}`;
  const beside = intervalBeside(one, terms);
  const interval = `${beside.name} ${differenceIntervalText(beside.interval, type)}`;
  const rows = counted(one.n_common, "shared row");
  return `${means}: ${differenceText(one.difference, type)} (${interval}, ${chanceText(one.p_value_adjusted)}, ${rows}).`;
}

/** The interval that stands beside the verdict of a comparison, with its name. */
export function intervalBeside(one: Comparison, terms: FamilyTerms): NamedInterval {
  return (
    marginInterval(one, terms) ?? {
      name: adjustedIntervalName(terms),
      interval: one.adjusted_confidence_interval,
    }
  );
}

type FamilyTerms = Omit<ComparisonTerms, "slicing" | "told">;
type WithinBounds = Pick<Comparison, "verdict" | "equivalence_interval">;

interface NamedInterval {
  readonly name: string;
  readonly interval: Interval | null;
}

/**
 * The interval beside `as good`, null for other verdicts: `90% interval`, whose two ends are each passed with 5 %.
 * Where Holm shows what the interval of one comparison among so many does not, its end is that of the margin.
 */
function marginInterval(
  { verdict, equivalence_interval: bounds }: WithinBounds,
  { margin, confidence, ...family }: FamilyTerms,
): NamedInterval | null {
  if (verdict !== "equivalent" || bounds == null || margin === null) return null;
  const [low, high] = bounds;
  const interval = [Math.max(low, -margin), Math.min(high, margin)] as const;
  return { name: adjustedIntervalName({ confidence: 2 * confidence - 1, ...family }), interval };
}

/** The interval beside a verdict as a cell below a head; one of another confidence says so. */
export function intervalCell(one: Comparison, type: ValueType, terms: FamilyTerms): string {
  return marginCell(one, type, terms) ?? differenceIntervalText(one.adjusted_confidence_interval, type);
}

/** The cell of {@link marginInterval}: `−1.2 to +0.4 (90%)`. */
function marginCell(one: WithinBounds, type: ValueType, terms: FamilyTerms): string | null {
  const found = marginInterval(one, terms);
  if (found === null) return null;
  return `${differenceIntervalText(found.interval, type)} (${found.name.replace(" interval", "")})`;
}

/** What slices were asked for with: they are a family of their own. */
export function sliceTerms(terms: ComparisonTerms): ComparisonTerms {
  return { ...terms, familySize: terms.slicing?.family_size ?? 0 };
}

/** The interval of a slice; beside `as good` that of the margin, with `*` one that shows what the verdict does not. */
export function sliceIntervalCell(slice: Slice, type: ValueType, terms: ComparisonTerms): string {
  const alone = differenceIntervalText(slice.confidence_interval, type);
  return marginCell(slice, type, terms) ?? (isShownAlone(slice) ? `${alone}*` : alone);
}

/** `95% interval`, or `95% together` where all intervals of the answer hold with that confidence. */
export function adjustedIntervalName({
  confidence,
  familySize,
  adjust,
}: Omit<ComparisonTerms, "margin">): string {
  const name = intervalName(confidence);
  if (familySize < 2 || adjust === "none") return name;
  return adjust === "benjamini-hochberg" ? `${name}, adjusted` : name.replace("interval", "together");
}

/**
 * `X is at most 4.2 points worse than Y (95%).` where the margin lets nothing worse be; nothing where that is not
 * shown, and where the verdict says more.
 */
export function notWorseSentences(
  comparison: Comparison | null,
  [candidate, baseline]: readonly [Name, Name],
  { value_type: type }: Score,
  terms: ComparisonTerms,
): Sentence[] {
  const { not_worse: holds, worst_loss: loss, verdict } = comparison ?? {};
  if (holds !== true || loss == null || (loss === 0 && verdict === "improved")) return [];
  const how = loss === 0 ? "not" : `at most ${sizeText(loss, type)}`;
  const sure = adjustedIntervalName(terms).replace(" interval", "");
  return [say`${candidate} is ${how} worse than ${baseline} (${sure}).`];
}

function consequences(one: Comparison, score: Score, terms: ComparisonTerms): string[] {
  const { margin } = terms;
  const { improved, regressed } = sideWords(score);
  switch (standingOf(one)) {
    case "improved":
    case "regressed":
    case "moved_up":
    case "moved_down":
      return [
        `${countText(one.rows_improved)} ${improved}, ${counted(one.rows_regressed, "row")} ${regressed}.`,
      ];
    case "equivalent":
      return margin === null ? [] : [`That is within ±${sizeText(margin, score.value_type)}.`];
    case "inconclusive":
    case "not_shown_worse":
      return undecided(one, score, terms);
    case "same":
    case "few":
    case "none":
      return [];
  }
}

/** What would have shown, alone or at all. */
function undecided(one: Comparison, score: Score, { confidence, familySize }: ComparisonTerms): string[] {
  const { alone, difference, minimum_detectable_effect: effect, rows_to_detect: rows } = one;
  // With one pair, the score stands alone.
  const p = alone === undefined ? one.p_value : alone.p_value_adjusted;
  if (saysLess(one) || (alone === undefined && p !== null && p <= 1 - confidence)) {
    const shown = alone?.verdict === "equivalent" ? "" : ` (${chanceText(p)})`;
    const among = `among ${counted(familySize, "comparison")} it does not (${chanceText(one.p_value_adjusted)})`;
    return [`Alone it would have shown${shown}; ${among}.`];
  }
  if (one.method === "sign-exact" || one.method === null) return [];
  if (effect !== null && difference !== null && effect <= Math.abs(difference)) return [];
  const shown = wouldHaveShown(effect, score);
  return rows === null
    ? [shown]
    : [shown, `To find one as small as this, ${rowsNeeded(rows, one)} would be needed.`];
}

/** `A difference of 1.2 points would have been found four times in five.`, or that none could have; null is none. */
export function wouldHaveShown(effect: number | null, { value_type: type }: Score): string {
  if (effect === null) return "No difference could have shown with so few rows.";
  return `A difference of ${sizeText(effect, type)} would have been found four times in five.`;
}

const MOST_ROWS = 1_000_000;

/**
 * `about 300 rows (200 to 700)`: how many, as the spread of so many rows may be (95 %: chi squared by Wilson and
 * Hilferty, of rates with two degrees of freedom for each row that differs).
 */
function rowsNeeded(rows: number, one: Comparison): string {
  const { method, n_common: n, rows_improved: better, rows_regressed: worse } = one;
  const df = Math.max(2, method === "mcnemar-mid-p" ? 2 * (better + worse) : n - 1);
  const spread = 2 / (9 * df);
  const [most, least] = [-1, 1].map((sign) => 1 / (1 - spread + sign * NORMAL_95 * Math.sqrt(spread)) ** 3);
  const [about, low, high] = [
    oneDigit(rows, Math.round),
    oneDigit(rows * (least ?? 1), Math.floor),
    oneDigit(rows * (most ?? 1), Math.ceil),
  ];
  if (rows > MOST_ROWS) return "more than a million rows";
  const range = `${countText(low)} to ${high > MOST_ROWS ? "more than a million" : countText(high)}`;
  return `about ${countText(about)} rows (${range})`;
}

const NORMAL_95 = 1.96;

function oneDigit(rows: number, round: (digit: number) => number): number {
  const step = 10 ** Math.floor(Math.log10(rows));
  return round(rows / step) * step;
}
