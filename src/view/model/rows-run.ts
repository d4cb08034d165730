import type { Comparison } from "../../respond/compare/comparison.ts";
import type { Answers } from "../answers.ts";
import { valuesIn } from "./scores.ts";
import type { ShownEvaluation } from "./shown.ts";

type Run = Pick<ShownEvaluation, "name" | "summary" | "isBaseline">;

/**
 * Rows with a trial of the evaluation. The answers do not count them, but bound them from both sides: every row with a value
 * was run, and each trial without a value may be of a row of its own. Null where the bounds leave a choice.
 */
export function rowsRun(one: Run, answers: Answers): number | null {
  if (one.summary === undefined || one.summary.trial_count === 0) return 0;
  const least = Math.max(...knownRows(one, answers));
  const most = Math.min(...possibleRows(one, answers));
  return least === most ? least : null;
}

function knownRows({ name, summary, isBaseline }: Run, { comparison }: Answers): number[] {
  const { latency_seconds: latency, total_tokens: tokens } = summary?.usage ?? {};
  const compared = (comparison?.comparisons ?? []).filter((own) => isBaseline || own.candidate === name.id);
  return [
    0,
    ...(summary?.scorer_stats.map((stats) => stats.scored_row_count ?? 0) ?? []),
    latency?.known_count ?? 0,
    tokens?.known_count ?? 0,
    ...compared.map((own) => sharedRows(own) + (isBaseline ? own.n_only_baseline : own.n_only_candidate)),
  ];
}

/** Rows that both ran and on which one has a value. */
function sharedRows({ n_common, n_missing_baseline, n_missing_candidate }: Comparison): number {
  return n_common + n_missing_baseline + n_missing_candidate;
}

function possibleRows({ summary }: Run, answers: Answers): number[] {
  const trials = summary?.trial_count ?? 0;
  const each = summary?.scorer_stats ?? [];
  return [
    answers.summary.row_count,
    trials,
    ...each.map((stats) => (stats.scored_row_count ?? 0) + trials - valuesIn(stats)),
  ];
}
