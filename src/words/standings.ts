import type { Comparison } from "../respond/compare/comparison.ts";
import { countText } from "./figures.ts";
import { hasGoodSide, scorePart, type Score } from "./score.ts";
import { say, type Name, type Sentence } from "./sentence.ts";

/**
 * How a candidate stands against the baseline in one score: the verdict, with the way in which it moved;
 * `not_shown_worse` where it is inconclusive and the baseline is the best of all; `same` where it is inconclusive and
 * no row moved; `few` where there are too few rows or clusters for a verdict, `none` where no row is shared.
 */
export type Standing =
  | Exclude<Comparison["verdict"], "moved">
  | "moved_up"
  | "moved_down"
  | "not_shown_worse"
  | "same"
  | "few"
  | "none";

type Judged = Pick<
  Comparison,
  "verdict" | "difference" | "rows_improved" | "rows_regressed" | "n_common" | "reason"
>;

/** The standing of a comparison; null where the two were not compared because they share no row. */
export function standingOf(comparison: Judged | null, withBest = false): Standing {
  if (comparison === null || comparison.n_common === 0) return "none";
  const { verdict, rows_improved, rows_regressed, n_common, reason } = comparison;
  if (verdict === "moved") return (comparison.difference ?? 0) > 0 ? "moved_up" : "moved_down";
  if (verdict !== "inconclusive") return verdict;
  if (n_common > 1 && rows_improved + rows_regressed === 0) return "same";
  if (reason !== null) return "few";
  return withBest ? "not_shown_worse" : verdict;
}

/** What is said of a standing: a mark of one character, and words, some by the side of the score and with names. */
interface Said {
  readonly mark: string;
  /** One to four words. */
  readonly label: (sides: Sides) => string;
  readonly claim: (candidate: Name, baseline: Name, score: Sentence, sides: Sides) => Sentence;
  /** Of one and of several; the label where there is none. */
  readonly tally?: readonly [one: string, several: string];
  /** What a list of those that stand so begins with. */
  readonly head: (baseline: Name, sides: Sides) => Sentence;
}

function side(mark: string, of: keyof Sides): Said {
  return {
    mark,
    label: (sides) => sides[of],
    claim: (x, y, s, sides) => say`${x} is ${sides[of]} than ${y} in ${s}.`,
    head: (y, sides) => say`${sides[of].charAt(0).toUpperCase()}${sides[of].slice(1)} than ${y}`,
  };
}

function moved(way: "up" | "down"): Said {
  return {
    mark: "◇",
    label: () => `moved ${way}`,
    claim: (x, y, s) => say`${x} moved ${way} in ${s} against ${y}.`,
    tally: [`moved ${way}`, `moved ${way}`],
    head: (y) => say`Moved ${way} against ${y}`,
  };
}

/** In the order in which they are told. */
const SAID: Readonly<Record<Standing, Said>> = {
  improved: side("▲", "improved"),
  moved_up: moved("up"),
  equivalent: {
    mark: "≈",
    label: () => "as good",
    claim: (x, y, s) => say`${x} is as good as ${y} in ${s}.`,
    head: (y) => say`As good as ${y}`,
  },
  same: {
    mark: "=",
    label: () => "same on every row",
    claim: (x, y, s) => say`${x} and ${y} have the same ${s} on every shared row.`,
    tally: ["is the same on every shared row", "are the same on every shared row"],
    head: (y) => say`The same as ${y} on every shared row`,
  },
  inconclusive: {
    mark: "○",
    label: () => "not shown different",
    claim: (x, y, s) => say`${x} is not shown different from ${y} in ${s}.`,
    head: (y) => say`Not shown different from ${y}`,
  },
  not_shown_worse: {
    mark: "○",
    label: ({ regressed }) => `not shown ${regressed}`,
    claim: (x, y, s, { regressed }) => say`${x} is not shown ${regressed} than ${y} in ${s}.`,
    head: (y, { regressed }) => say`Not shown ${regressed} than ${y}`,
  },
  moved_down: moved("down"),
  regressed: side("▼", "regressed"),
  few: {
    mark: "?",
    label: () => "too few rows",
    claim: (x, y, s) => say`Too few rows to compare ${x} with ${y} in ${s}.`,
    tally: ["has too few shared rows", "have too few shared rows"],
    head: (y) => say`Too few rows shared with ${y}`,
  },
  none: {
    mark: "?",
    label: () => "no shared row",
    claim: (x, y, s) => say`${x} and ${y} share no row with ${s}.`,
    tally: ["shares no row", "share no row"],
    head: (y) => say`No row shared with ${y}`,
  },
};

/** In the order in which they are told. */
export const STANDINGS = Object.keys(SAID) as readonly Standing[];

/** One character, which never stands without its label or sentence. */
export function markOf(standing: Standing): string {
  return SAID[standing].mark;
}

/** Which colour a standing has: only what is better is good, and only what is worse is bad. */
export function toneOf(standing: Standing, score: Score): "good" | "bad" | "neutral" {
  if (!hasGoodSide(score)) return "neutral";
  return standing === "improved" ? "good" : standing === "regressed" ? "bad" : "neutral";
}

/** Whether a difference is shown. */
export function isDecided(standing: Standing): boolean {
  return /^(improved|regressed|moved_.*)$/.test(standing);
}

/** The words for the two sides of a score. */
interface Sides {
  readonly improved: string;
  readonly regressed: string;
}

/** Nobody said of a plain number which side is good. */
export function sideWords(score: Score): Sides {
  return hasGoodSide(score)
    ? { improved: "better", regressed: "worse" }
    : { improved: "higher", regressed: "lower" };
}

/** One to four words: `better`, `not shown different`. */
export function labelOf(standing: Standing, score: Score): string {
  return SAID[standing].label(sideWords(score));
}

/** Whether a comparison shows less among the others of its answer than it does alone. */
export function saysLess({ verdict, alone }: Pick<Comparison, "verdict" | "alone">): boolean {
  return alone !== undefined && alone.verdict !== verdict;
}

/** What marks such a comparison in a table. */
export const LESS = " *";

/**
 * One sentence about a candidate and the baseline: `X is better than Y in S.` `named`: what is said of several scores
 * at once.
 */
export function claimOf(
  standing: Standing,
  candidate: Name,
  baseline: Name,
  score: Score,
  named: Sentence = [scorePart(score)],
): Sentence {
  return SAID[standing].claim(candidate, baseline, named, sideWords(score));
}

/** How many stand so: `3 are not shown different`. */
export function tallyOf(standing: Standing, count: number, score: Score): string {
  const label = labelOf(standing, score);
  const [one, several] = SAID[standing].tally ?? [`is ${label}`, `are ${label}`];
  return `${countText(count)} ${count === 1 ? one : several}`;
}

/** What a list of those that stand so begins with: `Worse than Y`. */
export function headOf(standing: Standing, baseline: Name, score: Score): Sentence {
  return SAID[standing].head(baseline, sideWords(score));
}
