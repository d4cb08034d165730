import type { Comparison } from "../../respond/compare/comparison.ts";
import { countText } from "./figures.ts";
import { hasGoodSide, scorePart, type Score } from "./score.ts";
import { say, type Name, type Sentence } from "./sentence.ts";

/**
 * How a candidate stands against the baseline in one score: the verdict; `not_shown_worse` where it is inconclusive and
 * the baseline is the best of all; `same` where it is inconclusive and no row moved; `few` where there are too few rows or
 * clusters for a verdict, `none` where no row is shared.
 */
export type Standing = Comparison["verdict"] | "not_shown_worse" | "same" | "few" | "none";

type Judged = Pick<Comparison, "verdict" | "rows_improved" | "rows_regressed" | "n_common" | "reason">;

/** The standing of a comparison; null where the two were not compared because they share no row. */
export function standingOf(comparison: Judged | null, withBest = false): Standing {
  if (comparison === null || comparison.n_common === 0) return "none";
  const { verdict, rows_improved, rows_regressed, n_common, reason } = comparison;
  if (verdict !== "inconclusive") return verdict;
  if (n_common > 1 && rows_improved + rows_regressed === 0) return "same";
  if (reason !== null) return "few";
  return withBest ? "not_shown_worse" : verdict;
}

/** In the order in which they are told. */
export const STANDINGS: readonly Standing[] = [
  "improved",
  "equivalent",
  "same",
  "inconclusive",
  "not_shown_worse",
  "regressed",
  "few",
  "none",
];

const MARKS: Readonly<Record<Standing, string>> = {
  improved: "▲",
  regressed: "▼",
  equivalent: "≈",
  same: "=",
  inconclusive: "○",
  not_shown_worse: "○",
  few: "?",
  none: "?",
};

/** One character, which never stands without its label or sentence. */
export function markOf(standing: Standing): string {
  return MARKS[standing];
}

/** Which colour a standing has: only what is better is good, and only what is worse is bad. */
export function toneOf(standing: Standing, score: Score): "good" | "bad" | "neutral" {
  if (!hasGoodSide(score)) return "neutral";
  return standing === "improved" ? "good" : standing === "regressed" ? "bad" : "neutral";
}

/** The words for the two sides of a score: nobody said of a plain number which side is good. */
export function sidesOf(score: Score): { readonly improved: string; readonly regressed: string } {
  return hasGoodSide(score)
    ? { improved: "better", regressed: "worse" }
    : { improved: "higher", regressed: "lower" };
}

/** One to four words: `better`, `not shown different`. */
export function labelOf(standing: Standing, score: Score): string {
  switch (standing) {
    case "improved":
    case "regressed":
      return sidesOf(score)[standing];
    case "equivalent":
      return "as good";
    case "same":
      return "same on every row";
    case "inconclusive":
      return "not shown different";
    case "not_shown_worse":
      return `not shown ${sidesOf(score).regressed}`;
    case "few":
      return "too few rows";
    case "none":
      return "no shared row";
  }
}

/** One sentence about a candidate and the baseline: `X is better than Y in S.` */
export function claimOf(standing: Standing, candidate: Name, baseline: Name, score: Score): Sentence {
  const s = scorePart(score);
  switch (standing) {
    case "improved":
    case "regressed":
      return say`${candidate} is ${sidesOf(score)[standing]} than ${baseline} in ${s}.`;
    case "equivalent":
      return say`${candidate} is as good as ${baseline} in ${s}.`;
    case "same":
      return say`${candidate} and ${baseline} have the same ${s} on every shared row.`;
    case "inconclusive":
      return say`${candidate} is not shown different from ${baseline} in ${s}.`;
    case "not_shown_worse":
      return say`${candidate} is not shown ${sidesOf(score).regressed} than ${baseline} in ${s}.`;
    case "few":
      return say`Too few rows to compare ${candidate} with ${baseline} in ${s}.`;
    case "none":
      return say`${candidate} and ${baseline} share no row with ${s}.`;
  }
}

/** How many stand so: `3 are not shown different`. */
export function tallyOf(standing: Standing, count: number, score: Score): string {
  const n = countText(count);
  const one = count === 1;
  switch (standing) {
    case "improved":
    case "regressed":
    case "equivalent":
    case "inconclusive":
    case "not_shown_worse":
      return `${n} ${one ? "is" : "are"} ${labelOf(standing, score)}`;
    case "same":
      return `${n} ${one ? "is" : "are"} the same on every shared row`;
    case "few":
      return `${n} ${one ? "has" : "have"} too few shared rows`;
    case "none":
      return `${n} ${one ? "shares" : "share"} no row`;
  }
}

/** What a list of those that stand so begins with: `Worse than Y`. */
export function headOf(standing: Standing, baseline: Name, score: Score): Sentence {
  switch (standing) {
    case "improved":
    case "regressed":
      return say`${capital(sidesOf(score)[standing])} than ${baseline}`;
    case "equivalent":
      return say`As good as ${baseline}`;
    case "same":
      return say`The same as ${baseline} on every shared row`;
    case "inconclusive":
      return say`Not shown different from ${baseline}`;
    case "not_shown_worse":
      return say`Not shown ${sidesOf(score).regressed} than ${baseline}`;
    case "few":
      return say`Too few rows shared with ${baseline}`;
    case "none":
      return say`No row shared with ${baseline}`;
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
