import type { Summary, ScorerStats } from "../../respond/summary/scorer-stats.ts";
import { statedDirections } from "../../model/direction.ts";
import type { Answers } from "./answers.ts";
import { isAmong, scoreKey, scoreOf, shownType, type Naming, type Score } from "../../words/score.ts";

/** The dimensions of a summary that have a mean, in the order in which the summary first has them. */
export function scoresOf({ evaluations }: Summary, naming: Naming): Score[] {
  const found = new Map<string, { readonly place: ScorerStats; readonly binary: boolean }>();
  for (const place of evaluations.flatMap((one) => one.scorer_stats)) {
    if (meanOf(place) === null) continue;
    const key = scoreKey(place);
    found.set(key, { place, binary: shownType(place) === "binary" && (found.get(key)?.binary ?? true) });
  }
  return [...found.values()].map(({ place, binary }) =>
    scoreOf(place, binary ? "binary" : "continuous", naming),
  );
}

/** What tells the scores of a page; evaluations that are not known say nothing of them. */
type Told = Pick<Answers, "summary" | "whole" | "question"> & Partial<Pick<Answers, "evaluations">>;

/** The scores of a page, filtered or not. */
export function scoresIn({ summary, whole, question, evaluations = [] }: Told): Score[] {
  const latest = evaluations.toSorted((a, b) => ((a.started_at ?? "") > (b.started_at ?? "") ? -1 : 1));
  const stated = latest.map(({ attributes }) => statedDirections(attributes));
  return scoresOf(whole ?? summary, { ...question, stated });
}

/** Mean over rows; null where there is none. */
export function meanOf(stats: ScorerStats | undefined): number | null {
  return stats?.row_mean ?? null;
}

/** By mean, the best first, those without one last, equal ones as they come: the order of a page. */
export function bestFirst<One>(
  all: readonly One[],
  meanIn: (one: One) => number | null,
  { lower_is_better: lower }: Pick<Score, "lower_is_better">,
): One[] {
  return all.toSorted((a, b) => {
    const [x, y] = [meanIn(a), meanIn(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return lower ? x - y : y - x;
  });
}

/** Trials with a value that the mean counts: a number, or true or false; a text is none. */
export function valuesIn(stats: ScorerStats): number {
  return stats.value_type === "binary" ? stats.pass_known_count : stats.numeric_count;
}

/** How many of these pass, where they are true or false, or all 0 or 1. */
export function passesIn(stats: ScorerStats): number {
  return stats.rate === true
    ? Math.round((stats.numeric_mean ?? 0) * stats.numeric_count)
    : stats.pass_true_count;
}

/** The statistics of a dimension by the ids of evaluations. */
export function statsOf(summary: Summary, { key }: Pick<Score, "key">): Map<string, ScorerStats> {
  return new Map(
    summary.evaluations.flatMap(({ evaluation_call_id: id, scorer_stats: all }) => {
      const found = all.find((stats) => scoreKey(stats) === key);
      return found === undefined ? [] : [[id, found] as const];
    }),
  );
}

/** The score of a name; null where no score is called so. */
export function scoreNamed(told: Told, name: string | null): Score | null {
  return scoresIn(told).find(({ key }) => key === name) ?? null;
}

/**
 * The score that a page begins with: the one asked for, else the first that is named, else the first whose means are
 * not all the same, and no number of steps.
 */
export function headlineOf(told: Told): Score | null {
  const { question } = told;
  const summary = told.whole ?? told.summary;
  const scores = scoresIn(told);
  const first = question.score ?? question.scorers?.[0];
  const exact = scores.find(({ key }) => key === question.score);
  if (exact !== undefined) return exact;
  if (first !== undefined) return scores.find((score) => isAmong(score, [first])) ?? null;
  const isScore = (score: Score) =>
    [...statsOf(summary, score).values()].some((one) => one.better === undefined);
  const own = scores.filter(isScore);
  const varied = own.find((score) => new Set([...statsOf(summary, score).values()].map(meanOf)).size > 1);
  return varied ?? own[0] ?? null;
}

/** The id of the evaluation with the best mean, of equals the first; null where none has one. */
export function bestOf(summary: Summary, score: Score): string | null {
  const stats = statsOf(summary, score);
  const ids = summary.evaluations.map((one) => one.evaluation_call_id);
  const [best] = bestFirst(ids, (id) => meanOf(stats.get(id)), score);
  return best === undefined || meanOf(stats.get(best)) === null ? null : best;
}
