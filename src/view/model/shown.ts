import type { Comparison, ScoreRank } from "../../respond/compare/comparison.ts";
import type { EvaluationSummary, ScorerStats } from "../../respond/summary/scorer-stats.ts";
import type { Answers, AwaitedPart } from "./answers.ts";
import type { ComparisonTerms } from "../../words/claim-figures.ts";
import type { ShownEvaluation as ComparedFigures } from "../../words/conclusion.ts";
import type { PageName } from "../../words/names.ts";
import { isAmong, type Score, scoreKey } from "../../words/score.ts";
import { type Standing, standingOf } from "../../words/standings.ts";
import { counted } from "../../words/figures.ts";
import { pageNames } from "./page-names.ts";
import { bestFirst, meanOf, scoresIn, statsOf } from "./scores.ts";

/** An evaluation in the chosen score. */
export interface ShownEvaluation extends ComparedFigures {
  readonly name: PageName;
  /** Absent where the evaluation is not stored any more. */
  readonly summary: EvaluationSummary | undefined;
  /** Absent where it has nothing in the score. */
  readonly stats: ScorerStats | undefined;
  readonly isBaseline: boolean;
  /** Against the baseline; null for the baseline and where the score is not compared. */
  readonly standing: Standing | null;
  /** The places that it may have; null where the baseline was named. */
  readonly rankInterval: ScoreRank["rank_interval"] | null;
}

/** The answers, seen in one score. */
export interface Shown {
  readonly answers: Answers;
  readonly scores: readonly Score[];
  readonly score: Score;
  /** By mean, the best first. */
  readonly evaluations: readonly ShownEvaluation[];
  readonly baseline: ShownEvaluation | null;
  /** Whether the score is one of those that are compared. */
  readonly compared: boolean;
  /** Whether the baseline was chosen because it is the best in this score. */
  readonly withBest: boolean;
  /** What is not answered yet; null where all is there. */
  readonly awaited: AwaitedPart | null;
}

/** Looks at answers in one score; null where they have no such score, or no row. */
export function shownIn(
  answers: Answers,
  chosen: string | null,
  awaited: AwaitedPart | null = null,
): Shown | null {
  const scores = scoresIn(answers);
  const score = scores.find(({ key }) => key === chosen);
  if (score === undefined || passesNone(answers)) return null;
  const comparisons = comparisonsIn(answers, score.key);
  const compared = awaited !== "comparison" && isCompared(answers, score, comparisons.size);
  const summaries = new Map(answers.summary.evaluations.map((one) => [one.evaluation_call_id, one]));
  const stats = statsOf(answers.summary, score);
  const ranks = ranksIn(answers, score.key);
  const withBest = ranks.get(answers.baseline ?? "")?.standing === "best";
  const evaluations = pageNames(answers).map((name): ShownEvaluation => {
    const isBaseline = name.id === answers.baseline;
    const comparison = comparisons.get(name.id) ?? null;
    const standing = isBaseline || !compared ? null : standingOf(comparison, withBest);
    const rankInterval = ranks.get(name.id)?.rank_interval ?? null;
    const own = stats.get(name.id);
    const summary = summaries.get(name.id);
    return { name, summary, stats: own, isBaseline, comparison, standing, rankInterval };
  });
  const baseline = evaluations.find((one) => one.isBaseline) ?? null;
  return {
    answers,
    scores,
    score,
    evaluations: bestFirst(evaluations, (one) => meanOf(one.stats), score),
    baseline,
    compared,
    withBest,
    awaited,
  };
}

/** Ranks in a score, by evaluation; empty where the baseline was named. */
function ranksIn({ comparison }: Answers, score: string): ReadonlyMap<string, ScoreRank> {
  const own = (comparison?.ranks ?? []).filter((one) => scoreKey(one) === score);
  return new Map(own.map((one) => [one.evaluation_call_id, one]));
}

/** Whether the library compared the score, or would have, had there been shared rows. */
function isCompared({ comparison, question: { scorers } }: Answers, score: Score, found: number): boolean {
  if (found > 0) return true;
  if (comparison !== null) return false;
  return scorers == null || isAmong(score, scorers);
}

/** Comparisons in a score, by candidate. */
export function comparisonsIn({ comparison }: Answers, score: string): ReadonlyMap<string, Comparison> {
  const own = (comparison?.comparisons ?? []).filter((one) => scoreKey(one) === score);
  return new Map(own.map((one) => [one.candidate, one]));
}

/** What the comparisons of the answers were asked for with. */
export function termsOf({ comparison, question: { margin = null } }: Answers): ComparisonTerms {
  return {
    confidence: comparison?.confidence ?? 0.95,
    margin,
    familySize: comparison?.family_size ?? 0,
    adjust: comparison?.adjust ?? "holm",
    slicing: comparison?.slicing,
  };
}

/** What there is, filtered or not: `14 evaluations · 1,319 rows · 17,828 trials` */
export function countsText({ evaluations, summary: shown, whole }: Answers): string {
  const summary = whole ?? shown;
  const trials = summary.evaluations.reduce((sum, one) => sum + one.trial_count, 0);
  return [
    counted(evaluations.length, "evaluation"),
    counted(summary.row_count, "row"),
    counted(trials, "trial"),
  ].join(" · ");
}

/** Whether there are rows, and the filters let none of them pass. */
export function passesNone({ summary, whole }: Answers): boolean {
  return summary.row_count === 0 && (whole?.row_count ?? 0) > 0;
}
