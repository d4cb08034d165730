import type { Comparison, ComparisonAnswer } from "../../respond/compare/comparison.ts";
import type { Summary } from "../../respond/summary/scorer-stats.ts";
import type { Question } from "../answers.ts";
import { isAmong } from "../words/score.ts";
import { scoresOf } from "./scores.ts";

/** Candidates with the number of rows that they share with the baseline, none or one: too few for the library to compare. */
type SharedRows = ReadonlyMap<string, number>;

/** What there is to say of candidates that share too few rows: how many, and nothing else. */
export function unsharedComparison(
  { baseline, summary }: { readonly baseline: string; readonly summary: Summary },
  question: Question,
  shared: SharedRows,
): ComparisonAnswer {
  const { scorers } = question;
  const scores = scoresOf(summary, question).filter((score) => scorers == null || isAmong(score, scorers));
  return {
    confidence: question.confidence ?? 0.95,
    adjust: question.adjust ?? "holm",
    family_size: 0,
    comparisons: [...shared].flatMap(([candidate, rows]) =>
      scores.map(({ scorer_key, path, value_type: type }) => {
        const value_type = type === "binary" ? type : "continuous";
        return { ...NOTHING, scorer_key, path, value_type, baseline, candidate, n_common: rows };
      }),
    ),
    ranks: null,
    warnings: [],
  };
}

const NOTHING = {
  n_only_baseline: 0,
  n_only_candidate: 0,
  n_missing_baseline: 0,
  n_missing_candidate: 0,
  baseline_mean: null,
  candidate_mean: null,
  difference: null,
  standard_error: null,
  confidence_interval: null,
  adjusted_confidence_interval: null,
  method: null,
  p_value: null,
  p_value_adjusted: null,
  equivalence_p_value_adjusted: null,
  verdict: "inconclusive",
  reason: "too few shared rows",
  minimum_detectable_effect: null,
  rows_to_detect: null,
  rows_improved: 0,
  rows_regressed: 0,
  rows_tied: 0,
  correction: null,
} as const satisfies Partial<Comparison>;
