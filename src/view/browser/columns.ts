import type { Answers } from "../answers.ts";
import { scoresOf, type Score } from "../model/scores.ts";
import type { RowColumnsShown } from "../row-parts/rows-state.ts";
import type { ShownScore } from "../row-parts/shown-score.ts";
import { evaluationNames } from "../words/names.ts";
import { hasGoodSide, scoreOf } from "../words/score.ts";

/** The score of a name; null where no score is called so. */
export function scoreNamed({ summary }: Answers, name: string | null): Score | null {
  return scoresOf(summary).find((score) => score.name === name) ?? null;
}

/** What the columns of rows mean in these answers. */
export function columnsOf(answers: Answers, score: Score | null): RowColumnsShown {
  const { evaluations, baseline } = answers;
  return {
    names: evaluationNames(evaluations),
    baseline,
    score: score === null ? null : shown(answers, score),
  };
}

function shown({ scorers, lowerIsBetter }: Answers, { name, scorerKey, path, binary }: Score): ShownScore {
  const said = scoreOf({ scorer_key: scorerKey, path }, binary ? "binary" : "continuous", {
    scorers,
    lower_is_better: lowerIsBetter,
  });
  return { name, binary, lowerIsBetter: said.lower_is_better, hasGoodSide: hasGoodSide(said) };
}
