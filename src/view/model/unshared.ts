import type { ComparisonAnswer, ComparisonInput } from "../../respond/compare/comparison.ts";
import { adjustingBy, compareAll } from "../../respond/compare/compare-all.ts";
import type { Answers, Question } from "./answers.ts";
import { isAmong } from "../../words/score.ts";
import { scoresIn } from "./scores.ts";

const NO_ROWS = {
  n_only_baseline: 0,
  n_only_candidate: 0,
  n_missing_baseline: 0,
  n_missing_candidate: 0,
  n_edited: 0,
};

/**
 * What there is to say of candidates that share no row with the baseline or one, too few for the library to compare:
 * how many, and nothing else. `shared`: that number, by candidate.
 */
export async function unsharedComparison(
  { baseline, ...told }: Pick<Answers, "evaluations" | "summary" | "whole"> & { readonly baseline: string },
  question: Question,
  shared: ReadonlyMap<string, number>,
): Promise<ComparisonAnswer> {
  const { scorers, confidence, adjust } = question;
  const scores = scoresIn({ ...told, question }).filter(
    (score) => scorers == null || isAmong(score, scorers),
  );
  const inputs = [...shared.keys()].flatMap((candidate) =>
    scores.map(({ scorer_key: key, path, value_type: type, direction }): ComparisonInput => {
      const place = {
        path: path === null ? [key] : [key, path],
        direction,
        binary: type === "binary",
      };
      return { baseline, candidate, ...place, reason: "too few shared rows", rows: NO_ROWS, sums: null };
    }),
  );
  const terms = { confidence: confidence ?? 0.95, adjust: adjust ?? "holm" } as const;
  const adjusting = adjustingBy(terms.adjust, terms.confidence);
  const { comparisons } = await compareAll(
    inputs,
    { ...terms, adjusting, alone: terms.adjust, margin: null },
    undefined,
  );
  return {
    ...terms,
    family_size: 0,
    comparisons: comparisons.map((one) => ({ ...one, n_common: shared.get(one.candidate) ?? 0 })),
    changes: [],
    ranks: null,
    warnings: [],
  };
}
