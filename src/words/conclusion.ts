import type { Comparison } from "../respond/compare/comparison.ts";
import type { ScorerStats } from "../respond/summary/scorer-stats.ts";
import { claimFigures, notWorseSentences, wouldHaveShown, type ComparisonTerms } from "./claim-figures.ts";
import { counted, countText, intervalText, meanText, sizesText } from "./figures.ts";
import type { EvaluationName } from "./names.ts";
import { grouped } from "../model/grouped.ts";
import { hasGoodSide, scorePart, type Score } from "./score.ts";
import { listed, paragraph, plainText, say, type Sentence } from "./sentence.ts";
import {
  claimOf,
  headOf,
  isDecided,
  labelOf,
  markOf,
  STANDINGS,
  standingOf,
  tallyOf,
  type Standing,
} from "./standings.ts";

/** An evaluation in one score: its own figures as in a summary, and how it compares with the baseline. */
export interface ShownEvaluation {
  readonly name: EvaluationName;
  /** Absent where it has nothing in the score. */
  readonly stats: Pick<ScorerStats, "row_mean" | "confidence_interval" | "scored_row_count"> | undefined;
  /** null for the baseline, and where nothing could be compared. */
  readonly comparison: Comparison | null;
}

/** What is concluded from. */
export interface Findings extends ComparisonTerms {
  /** In the order of the page. */
  readonly evaluations: readonly ShownEvaluation[];
  /** Id of one of the evaluations. */
  readonly baseline: string;
  /** null where there is no score of numbers or of true and false. */
  readonly score: Score | null;
  /** Whether this score is compared at all. */
  readonly compared: boolean;
  /** Whether the baseline was chosen because it is the best in this score. */
  readonly withBest: boolean;
}

/** One sentence under the headline. */
interface Told {
  /** Whom it is about; null where it is about no standing. */
  readonly standing: Standing | null;
  readonly mark: string;
  readonly sentence: Sentence;
}

/** What can be said of evaluations in one score. */
export interface Conclusion {
  readonly headline: Sentence;
  readonly sentences: readonly Told[];
}

/** Says which evaluation is better in a score, by how much, and what is not shown. */
export function conclusion(findings: Findings): Conclusion {
  const { evaluations, score } = findings;
  const baseline = evaluations.find(({ name }) => name.id === findings.baseline) ?? evaluations[0] ?? null;
  if (baseline === null) return only(say`There is no evaluation to show.`);
  if (score === null) return only(say`There is no score to show.`);
  const others = evaluations.filter((one) => one !== baseline);
  if (others.length === 0) return only(ownMean(baseline, score, true));
  if (!findings.compared) {
    const sentence = say`This page does not compare ${scorePart(score)}.`;
    return { headline: ownMean(baseline, score, false), sentences: [told(null, sentence)] };
  }
  const [other] = others;
  const sentences =
    others.length === 1 && other !== undefined
      ? figuresOf(other, score, findings)
      : STANDINGS.flatMap((standing) => groupOf(standing, others, baseline, score, findings.withBest));
  const claims = bestFirst(others, score).flatMap(({ name, comparison }) =>
    notWorseSentences(comparison, [name, baseline.name], score, findings).map((one) =>
      told(standingOf(comparison, findings.withBest), one),
    ),
  );
  return {
    headline: headlineOf(others, baseline, score, findings.withBest),
    sentences: [...sentences, ...claims.slice(0, MOST_NAMES), ...partlyShared(others, score)],
  };
}

function only(headline: Sentence): Conclusion {
  return { headline, sentences: [] };
}

function told(standing: Standing | null, sentence: Sentence): Told {
  return { standing, mark: standing === null ? "•" : markOf(standing), sentence };
}

/** A sentence that is about no standing. */
export function toldPlainly(sentence: Sentence): Told {
  return told(null, sentence);
}

/** `X has 42.0% in S, 95% interval 31.5% to 52.5%, over 50 rows.` */
export function ownMean(
  { name, stats }: Pick<ShownEvaluation, "name" | "stats">,
  score: Score,
  withRows: boolean,
): Sentence {
  const { value_type: type } = score;
  if (stats?.row_mean == null) return say`${name} has no value in ${scorePart(score)}.`;
  const interval = `95% interval ${intervalText(stats.confidence_interval ?? null, type)}`;
  const rows = withRows ? `, over ${counted(stats.scored_row_count ?? 0, "row")}` : "";
  return say`${name} has ${meanText(stats.row_mean, type)} in ${scorePart(score)}, ${interval}${rows}.`;
}

function headlineOf(
  others: readonly ShownEvaluation[],
  baseline: ShownEvaluation,
  score: Score,
  withBest: boolean,
): Sentence {
  const [other] = others;
  if (other !== undefined && others.length === 1)
    return claimOf(standingOf(other.comparison), other.name, baseline.name, score);
  const counts = tally(others.map(({ comparison }) => [standingOf(comparison, withBest), score] as const));
  const mean = baseline.stats?.row_mean ?? null;
  const shown = mean === null ? "" : ` (${meanText(mean, score.value_type)})`;
  if (
    mean === null ||
    others.some(({ stats }) => stats?.row_mean != null && isBetter(stats.row_mean, mean, score))
  )
    return say`Against ${baseline.name}${shown} in ${scorePart(score)}: ${counts}.`;
  const extreme = score.lower_is_better ? "lowest" : "highest";
  const best = `${meanText(mean, score.value_type)}. Of the ${countText(others.length)} others, ${counts}.`;
  return say`${baseline.name} has the ${extreme} mean of ${scorePart(score)}: ${best}`;
}

/** How many there are of each standing: `2 are better, 3 are not shown different and 8 are worse`. */
export function tally(standings: readonly (readonly [Standing, Score])[]): string {
  const counts = STANDINGS.flatMap((standing) => {
    const scores = standings.filter(([one]) => one === standing).map(([, score]) => score);
    const labels = new Map(scores.map((score) => [labelOf(standing, score), score]));
    return [...labels].map(([label, score]) => {
      const count = scores.filter((one) => labelOf(standing, one) === label).length;
      return [tallyOf(standing, count, score)];
    });
  });
  return plainText(listed(counts));
}

function isBetter(mean: number, than: number, { lower_is_better: lower }: Score): boolean {
  return lower ? mean < than : mean > than;
}

/** One score of a pair. */
interface ScoredPair {
  readonly score: Score;
  readonly comparison: Comparison;
}

/** What is concluded of one pair: one sentence for the scores in which it stands alike, and the figures of each. */
export function conclusionsOfPair(
  scored: readonly ScoredPair[],
  nameOf: (id: string) => EvaluationName,
  terms: ComparisonTerms,
): Conclusion[] {
  const alike = grouped(scored, ({ score, comparison }) => claimKey(standingOf(comparison), score));
  const shared = pairShared(scored, nameOf);
  return [...alike.values()].flatMap((own, i) => {
    const [first] = own;
    if (first === undefined) return [];
    const { baseline, candidate } = first.comparison;
    const named = shortList(own.map(({ score }) => [scorePart(score)]));
    const standing = standingOf(first.comparison);
    const names = [nameOf(candidate), nameOf(baseline)] as const;
    const figures = own.flatMap(({ score, comparison }) => {
      const text = claimFigures(comparison, score, terms);
      const whose = own.length === 1 ? say`` : say`${scorePart(score)}: `;
      const all = [...(text === null ? [] : [[text]]), ...notWorseSentences(comparison, names, score, terms)];
      return all.map((one) => told(standing, say`${whose}${one}`));
    });
    const notes = i === alike.size - 1 ? shared : [];
    const headline = claimOf(standing, ...names, first.score, named);
    return [{ headline, sentences: [...figures, ...notes] }];
  });
}

function claimKey(standing: Standing, score: Score): string {
  return `${standing} ${hasGoodSide(score)}`;
}

/** `Compared on shared rows only: y (9 of 12 rows).`, with the scores where they do not share the same rows. */
function pairShared(scored: readonly ScoredPair[], nameOf: (id: string) => EvaluationName): Told[] {
  const partly = scored.flatMap(({ score, comparison }) => {
    const rows = sharedRows(comparison);
    return rows === null ? [] : [{ score, rows, candidate: comparison.candidate }];
  });
  const [first] = partly;
  if (first === undefined) return [];
  const alike = [...grouped(partly, ({ rows }) => rows)];
  const isOfAll = alike.length === 1 && partly.length === scored.length;
  const items = alike.map(([rows, own]) =>
    isOfAll ? [rows] : say`${rows} in ${shortList(own.map(({ score }) => [scorePart(score)]))}`,
  );
  return [
    told(null, say`Compared on shared rows only: ${nameOf(first.candidate)} (${listed(items, "; ")}).`),
  ];
}

/** `9 of 12 rows`; null where all are shared, or too few. */
function sharedRows(comparison: Comparison | null): string | null {
  if (comparison === null || comparison.n_common < 2) return null;
  const all = rowsOfEither(comparison);
  return all === comparison.n_common ? null : `${countText(comparison.n_common)} of ${counted(all, "row")}`;
}

function figuresOf({ comparison }: ShownEvaluation, score: Score, terms: ComparisonTerms): Told[] {
  const figures = claimFigures(comparison, score, terms);
  return figures === null ? [] : [told(standingOf(comparison), [figures])];
}

/** One sentence for those that stand alike. */
function groupOf(
  standing: Standing,
  others: readonly ShownEvaluation[],
  baseline: ShownEvaluation,
  score: Score,
  withBest: boolean,
): Told[] {
  const own = bestFirst(others, score).filter(
    ({ comparison }) => standingOf(comparison, withBest) === standing,
  );
  if (own.length === 0) return [];
  const by = isDecided(standing) ? sizesOf(own, score) : "";
  const names = shortList(own.map(({ name }) => [name]));
  const sentence = say`${headOf(standing, baseline.name, score)}${by}: ${names}.`;
  const tested = own.flatMap(({ comparison }) => (comparison === null ? [] : [comparison]));
  const effects = tested
    .filter(({ method }) => method !== null && method !== "sign-exact")
    .map((one) => one.minimum_detectable_effect);
  const undecided = standing === "inconclusive" || standing === "not_shown_worse";
  if (!undecided || effects.length === 0) return [told(standing, sentence)];
  return [told(standing, paragraph([sentence, [largestShown(effects, score)]]))];
}

/** The largest of the differences that would have shown; those that none could have are said apart. */
function largestShown(effects: readonly (number | null)[], score: Score): string {
  const possible = effects.filter((effect) => effect !== null);
  if (possible.length === 0) return wouldHaveShown(null, score);
  const largest = wouldHaveShown(Math.max(...possible), score);
  const others = effects.length - possible.length;
  return others === 0
    ? largest
    : `${largest} For ${countText(others)} of them, with so few rows, none could have.`;
}

function sizesOf(own: readonly ShownEvaluation[], { value_type: type }: Score): string {
  const sizes = own.flatMap(({ comparison }) => comparison?.difference ?? []).map(Math.abs);
  return sizes.length === 0 ? "" : `, by ${sizesText(Math.min(...sizes), Math.max(...sizes), type)}`;
}

/** By difference, the best first, those without one last; equal ones as they came. */
function bestFirst(others: readonly ShownEvaluation[], { lower_is_better: lower }: Score): ShownEvaluation[] {
  const gain = ({ comparison }: ShownEvaluation) => {
    const difference = comparison?.difference ?? null;
    return difference === null ? -Infinity : lower ? -difference : difference;
  };
  return others.toSorted((a, b) => Number(gain(b) > gain(a)) - Number(gain(b) < gain(a)));
}

const MOST_NAMES = 12;

function shortList(items: readonly Sentence[]): Sentence {
  const left = items.length - MOST_NAMES;
  return listed(left <= 0 ? items : [...items.slice(0, MOST_NAMES), [counted(left, "other")]]);
}

/** Names those whose comparison leaves rows out. */
function partlyShared(others: readonly ShownEvaluation[], score: Score): Told[] {
  const items = bestFirst(others, score).flatMap(({ name, comparison }) => {
    const rows = sharedRows(comparison);
    return rows === null ? [] : [say`${name} (${rows})`];
  });
  return items.length === 0 ? [] : [told(null, say`Compared on shared rows only: ${shortList(items)}.`)];
}

/** Rows of either evaluation, without those on which neither has a value though both ran. */
function rowsOfEither(one: Comparison): number {
  return (
    one.n_common +
    one.n_only_baseline +
    one.n_only_candidate +
    one.n_missing_baseline +
    one.n_missing_candidate
  );
}
