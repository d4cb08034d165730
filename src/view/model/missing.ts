import type { ScorerStats } from "../../respond/summary/scorer-stats.ts";
import type { Filter } from "../../request/eval-results-request.ts";
import type { EvaluationName } from "../../words/names.ts";
import type { Answers } from "./answers.ts";
import { valuesIn } from "./scores.ts";
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
    null: (stats.null_count ?? 0) - (stats.counted_null_count ?? 0),
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
