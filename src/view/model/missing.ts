import type { ScorerStats, Summary } from "../../respond/summary/scorer-stats.ts";
import type { Filter } from "../../request/eval-results-request.ts";
import type { EvaluationName } from "../words/names.ts";
import type { Answers, Question } from "../answers.ts";
import {
  adjustingBy,
  compareAll,
  type ComparisonAnswer,
  type ComparisonInput,
} from "../../respond/compare/comparison.ts";
import { isAmong } from "../words/score.ts";
import { scoresOf, valuesIn } from "./scores.ts";
import type { Shown, ShownEvaluation } from "./shown.ts";

/** What is missing of an evaluation in a score. */
export type Missing = ReturnType<typeof missingIn>;

/** The evaluations of which something is missing. */
export function missingOf({ evaluations, answers }: Shown): Missing[] {
  return evaluations
    .map((one) => missingIn(one, answers))
    .filter(({ trials, withValue, rowsNotRun }) => trials > withValue || rowsNotRun !== 0);
}

function missingIn(one: ShownEvaluation, answers: Answers) {
  const trials = one.summary?.trial_count ?? 0;
  const { stats } = one;
  const rowsNotRun = answers.summary.row_count - (one.summary?.row_count ?? 0);
  if (stats === undefined)
    return { one, trials, withValue: 0, failed: 0, null: 0, nothing: trials, rowsNotRun };
  return {
    one,
    trials,
    withValue: valuesIn(stats),
    failed: (stats.error_count ?? 0) - (stats.counted_error_count ?? 0),
    null: stats.null_count ?? 0,
    nothing: stats.missing_count ?? 0,
    rowsNotRun,
  };
}

/** Trials with a value on each row with one, where that is a whole number. */
export function trialsPerRow(stats: ScorerStats): number | null {
  const rows = stats.scored_row_count ?? 0;
  const each = valuesIn(stats) / rows;
  return rows > 0 && Number.isInteger(each) ? each : null;
}

/** Errors of one text in one evaluation. */
export interface ShownError {
  readonly text: string;
  readonly kind: "trial" | "scorer";
  readonly name: EvaluationName;
  readonly count: number;
  /** What keeps the rows of trials with it; null for scorers, whose errors no filter names. */
  readonly filter: Filter | null;
}

/** The errors of all evaluations, the most frequent first, and how many more there are of other texts. */
export function errorsOf({ evaluations }: Shown): { readonly errors: ShownError[]; readonly left: number } {
  const errors = evaluations.flatMap(({ name, summary }) =>
    (summary?.errors ?? []).map(({ text, kind, scorer, count }): ShownError => {
      const isError = { $eq: [{ $getField: "error" }, { $literal: text }] } as const;
      const filter = kind === "trial" ? { query: { $expr: isError }, evaluation_call_id: name.id } : null;
      return { text: scorer === null ? text : `${scorer}: ${text}`, kind, name, count, filter };
    }),
  );
  const left = evaluations.reduce((sum, { summary }) => sum + (summary?.other_error_count ?? 0), 0);
  return { errors: errors.toSorted((a, b) => b.count - a.count), left };
}

const NO_ROWS = { n_only_baseline: 0, n_only_candidate: 0, n_missing_baseline: 0, n_missing_candidate: 0 };

/**
 * What there is to say of candidates that share no row with the baseline or one, too few for the library to compare: how many, and nothing
 * else. `shared`: that number, by candidate.
 */
export async function unsharedComparison(
  { baseline, summary }: { readonly baseline: string; readonly summary: Summary },
  question: Question,
  shared: ReadonlyMap<string, number>,
): Promise<ComparisonAnswer> {
  const { scorers, confidence, adjust } = question;
  const scores = scoresOf(summary, question).filter((score) => scorers == null || isAmong(score, scorers));
  const inputs = [...shared.keys()].flatMap((candidate) =>
    scores.map(({ scorer_key: key, path, value_type: type }): ComparisonInput => {
      const place = {
        path: path === null ? [key] : [key, path],
        lowerIsBetter: false,
        binary: type === "binary",
      };
      return { baseline, candidate, ...place, reason: "too few shared rows", rows: NO_ROWS, sums: null };
    }),
  );
  const terms = { confidence: confidence ?? 0.95, adjust: adjust ?? "holm" } as const;
  const adjusting = adjustingBy(terms.adjust, terms.confidence);
  const { comparisons } = await compareAll(inputs, { ...terms, adjusting, margin: null }, undefined);
  return {
    ...terms,
    family_size: 0,
    comparisons: comparisons.map((one) => ({ ...one, n_common: shared.get(one.candidate) ?? 0 })),
    ranks: null,
    warnings: [],
  };
}
