import type { Comparison } from "../../respond/compare/comparison.ts";
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
import type { Score } from "./score.ts";
import { sidesOf, standingOf } from "./standings.ts";

/** What a comparison was asked for with. */
export interface ComparisonTerms {
  /** Of the answer, a share. */
  readonly confidence: number;
  /** Of the request, in units of the score; null where it has none. */
  readonly margin: number | null;
}

/**
 * The figures behind a claim, as one text: means, difference, interval, p and shared rows, then what they mean. null
 * where no row is shared.
 */
export function claimFigures(
  comparison: Comparison | null,
  score: Score,
  terms: ComparisonTerms,
): string | null {
  const standing = standingOf(comparison);
  if (comparison === null || standing === "none") return null;
  if (standing === "few") return "1 shared row; at least 2 are needed.";
  return [figuresOf(comparison, score, terms), ...consequences(comparison, score, terms)].join(" ");
}

function figuresOf(one: Comparison, { value_type: type }: Score, { confidence }: ComparisonTerms): string {
  const means = `${meanText(one.candidate_mean, type)} against ${meanText(one.baseline_mean, type)}`;
  const interval = `${intervalName(confidence)} ${differenceIntervalText(one.confidence_interval, type)}`;
  const rows = counted(one.n_common, "shared row");
  return `${means}: ${differenceText(one.difference, type)} (${interval}, ${chanceText(one.p_value_adjusted)}, ${rows}).`;
}

function consequences(one: Comparison, score: Score, { margin }: ComparisonTerms): string[] {
  const { improved, regressed } = sidesOf(score);
  switch (standingOf(one)) {
    case "improved":
    case "regressed":
      return [
        `${countText(one.rows_improved)} ${improved}, ${counted(one.rows_regressed, "row")} ${regressed}.`,
      ];
    case "equivalent":
      return margin === null ? [] : [`That is within ±${sizeText(margin, score.value_type)}.`];
    case "inconclusive":
      return undecided(one, score);
    case "same":
    case "few":
    case "none":
      return [];
  }
}

/**
 * What would have shown. Where many comparisons are adjusted for, a difference beyond the detectable effect may not be
 * shown; then the effect tells nothing about it.
 */
function undecided(
  { n_common: n, difference, minimum_detectable_effect: effect }: Comparison,
  score: Score,
): string[] {
  const size = difference === null ? null : Math.abs(difference);
  if (effect === null || (size !== null && effect <= size)) return [];
  const shown = wouldHaveShown(effect, score);
  if (size === null || size === 0) return [shown];
  const needed = rowsNeeded(n * (effect / size) ** 2);
  return [shown, `To show one as small as this, ${needed} rows would be needed.`];
}

/** `A difference of 1.2 points would have shown.`, or that none could have. */
export function wouldHaveShown(effect: number, { value_type: type }: Score): string {
  if (!isPossible(effect, { value_type: type })) return "No difference could have shown with so few rows.";
  return `A difference of ${sizeText(effect, type)} would have shown.`;
}

/** Whether two means can be so far apart: those of true and false are between 0 and 1. */
export function isPossible(difference: number, { value_type: type }: Pick<Score, "value_type">): boolean {
  return type !== "binary" || difference <= 1;
}

const MOST_ROWS = 1_000_000;

/** Rounded up to two significant digits. */
function rowsNeeded(rows: number): string {
  if (rows > MOST_ROWS) return "more than a million";
  const step = 10 ** Math.max(0, Math.floor(Math.log10(rows)) - 1);
  return `about ${countText(Math.ceil(rows / step) * step)}`;
}
