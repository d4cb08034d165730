import type { Comparison, ComparisonAnswer } from "../../respond/compare/comparison.ts";
import type { Answers, LatestRuns } from "./answers.ts";
import { isAmong, scoreKey, scoreOf, shownType, type Naming, type Score } from "../../words/score.ts";

/** The latest two runs that the page is about; null where it is about others. */
export function latestShown({
  latest,
  evaluations,
}: Pick<Answers, "latest" | "evaluations">): LatestRuns | null {
  const own = latest.find(({ candidate }) => evaluations.some(({ id }) => id === candidate));
  return own ?? null;
}

/** A comparison with the score that it is of. */
export interface Judged {
  readonly one: Comparison;
  readonly score: Score;
}

/**
 * How the latest run of a name compares, in the score of the page where the runs have it, and in what else it is worse.
 */
export interface LatestLine extends LatestRuns {
  readonly headline: Judged | null;
  readonly worse: readonly Judged[];
}

export function latestLines({ latest, question }: Answers, score: string | null): LatestLine[] {
  return latest.map((own) => {
    const headline = headlineIn(own.comparison, question, score);
    const others = own.comparison?.comparisons.filter((one) => one !== headline) ?? [];
    const judged = (one: Comparison): Judged => ({ one, score: scoreOf(one, shownType(one), question) });
    return {
      ...own,
      headline: headline === null ? null : judged(headline),
      worse: others.filter(({ verdict }) => verdict === "regressed").map(judged),
    };
  });
}

/** The comparison in the score asked for, else in the first that is named, else in the first whose means differ. */
function headlineIn(
  answer: ComparisonAnswer | null,
  { scorers }: Naming,
  score: string | null,
): Comparison | null {
  const all = answer?.comparisons ?? [];
  const [first] = scorers ?? [];
  const named = first === undefined ? undefined : all.find((one) => isAmong(one, [first]));
  const varied = all.find((one) => one.candidate_mean !== one.baseline_mean);
  return all.find((one) => scoreKey(one) === score) ?? named ?? varied ?? all[0] ?? null;
}
