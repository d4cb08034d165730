import type { PairAdjustment } from "../request/compare-request.ts";
import type { SliceValue, Slicing } from "../respond/summary/slicing.ts";
import type { Comparison } from "../respond/compare/comparison.ts";
import {
  chanceText,
  counted,
  countText,
  differenceIntervalText,
  differenceText,
  intervalName,
  meanText,
  sizeText,
} from "./figures.ts";
import { sliceSentence } from "./slices.ts";
import type { Score } from "./score.ts";
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
  readonly slicing?: Slicing | undefined;
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
  const interval = `${adjustedIntervalName(terms)} ${differenceIntervalText(one.adjusted_confidence_interval, type)}`;
  const rows = counted(one.n_common, "shared row");
  return `${means}: ${differenceText(one.difference, type)} (${interval}, ${chanceText(one.p_value_adjusted)}, ${rows}).`;
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
    : [shown, `To find one as small as this, ${rowsNeeded(rows)} rows would be needed.`];
}

/** `A difference of 1.2 points would have been found four times in five.`, or that none could have; null is none. */
export function wouldHaveShown(effect: number | null, { value_type: type }: Score): string {
  if (effect === null) return "No difference could have shown with so few rows.";
  return `A difference of ${sizeText(effect, type)} would have been found four times in five.`;
}

const MOST_ROWS = 1_000_000;

/** Rounded up to two significant digits. */
function rowsNeeded(rows: number): string {
  if (rows > MOST_ROWS) return "more than a million";
  const step = 10 ** Math.max(0, Math.floor(Math.log10(rows)) - 1);
  return `about ${countText(Math.ceil(rows / step) * step)}`;
}
