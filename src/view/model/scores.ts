import type { Summary, ScorerStats } from "../../respond/summary/scorer-stats.ts";
import type { Answers } from "../answers.ts";
import { scoreOf, type Score as ToldScore } from "../words/score.ts";

/** A score dimension that has a mean. */
export interface Score {
  /** As in a request: `scorer` or `scorer.path`. */
  readonly name: string;
  readonly scorerKey: string;
  readonly path: string | null;
  /** Whether all values are true or false. */
  readonly binary: boolean;
}

type Place = Pick<ScorerStats, "scorer_key" | "path">;

/** The name of a dimension, as in a request. */
export function scoreName({ scorer_key: key, path }: Place): string {
  const first = key.replaceAll(".", "\\.");
  return path === null ? first : `${first}.${path}`;
}

/** The dimensions of a summary that have a mean, in the order in which the summary first has them. */
export function scoresOf({ evaluations }: Summary): Score[] {
  const scores = new Map<string, Score>();
  for (const stats of evaluations.flatMap((one) => one.scorer_stats)) {
    if (meanOf(stats) === null) continue;
    const name = scoreName(stats);
    const binary = stats.value_type === "binary" && (scores.get(name)?.binary ?? true);
    scores.set(name, { name, scorerKey: stats.scorer_key, path: stats.path, binary });
  }
  return [...scores.values()];
}

/** Mean over rows; null where there is none. */
export function meanOf(stats: ScorerStats | undefined): number | null {
  return stats?.row_mean ?? null;
}

/** By mean, the best first, those without one last, equal ones as they come: the order of a page. */
export function bestFirst<One>(
  all: readonly One[],
  meanIn: (one: One) => number | null,
  { lower_is_better: lower }: Pick<ToldScore, "lower_is_better">,
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

/** The statistics of a dimension by the ids of evaluations. */
export function statsOf(summary: Summary, { name }: Pick<Score, "name">): Map<string, ScorerStats> {
  return new Map(
    summary.evaluations.flatMap(({ evaluation_call_id: id, scorer_stats: all }) => {
      const found = all.find((stats) => scoreName(stats) === name);
      return found === undefined ? [] : [[id, found] as const];
    }),
  );
}

function isNamed(score: Score, names: readonly string[]): boolean {
  return toldScore(score, { scorers: names, lowerIsBetter: [], higherIsBetter: [] }).named;
}

/** The score as sentences need it. */
export function toldScore(
  { scorerKey, path, binary }: Score,
  { scorers, lowerIsBetter, higherIsBetter }: Pick<Answers, "scorers" | "lowerIsBetter" | "higherIsBetter">,
): ToldScore {
  const type = binary ? "binary" : "continuous";
  const naming = { scorers, lower_is_better: lowerIsBetter, higher_is_better: higherIsBetter };
  return scoreOf({ scorer_key: scorerKey, path }, type, naming);
}

/** The score that a page begins with: the one asked for, else the first that is named, else the first whose means are not all the same. */
export function headlineOf({
  whole,
  summary: shown,
  scorers,
  score: asked,
}: Pick<Answers, "summary" | "whole" | "scorers" | "score">): Score | null {
  const summary = whole ?? shown;
  const scores = scoresOf(summary);
  const first = asked ?? scorers?.[0];
  const exact = scores.find(({ name }) => name === asked);
  if (exact !== undefined) return exact;
  if (first !== undefined) return scores.find((score) => isNamed(score, [first])) ?? null;
  const varied = scores.find((score) => new Set([...statsOf(summary, score).values()].map(meanOf)).size > 1);
  return varied ?? scores[0] ?? null;
}

/** The id of the evaluation with the best mean, of equals the first; null where none has one. */
export function bestOf(summary: Summary, score: Score, lowerIsBetter: readonly string[]): string | null {
  const sign = isNamed(score, lowerIsBetter) ? -1 : 1;
  const stats = statsOf(summary, score);
  let best: { readonly id: string; readonly mean: number } | null = null;
  for (const { evaluation_call_id: id } of summary.evaluations) {
    const mean = meanOf(stats.get(id));
    if (mean !== null && (best === null || sign * mean > sign * best.mean)) best = { id, mean };
  }
  return best?.id ?? null;
}
