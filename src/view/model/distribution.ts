import type { ScorerStats } from "../../respond/summary/scorer-stats.ts";
import { trialsPerRow } from "./missing.ts";
import type { Shown, ShownEvaluation } from "./shown.ts";

/** Shares of the rows, or of the trials where rows have unlike numbers of them, that come to each outcome. */
export interface Shares {
  readonly one: ShownEvaluation;
  readonly of: "rows" | "trials";
  readonly pass: number;
  readonly partly: number;
  readonly fail: number;
  readonly noValue: number;
  readonly notRun: number;
}

/** How true and false are spread; trials of an evaluation without the score have no value. */
export function sharesOf({ evaluations, answers }: Shown): Shares[] {
  return evaluations.flatMap((one): Shares[] => {
    const { stats, summary } = one;
    const run = summary?.row_count ?? 0;
    const rows = { one, of: "rows", notRun: answers.summary.row_count - run } as const;
    if (stats === undefined) return run === 0 ? [] : [{ ...rows, pass: 0, partly: 0, fail: 0, noValue: run }];
    const counts = rowCounts(run, stats);
    return [counts === null ? trialShares(one, stats) : { ...rows, ...counts }];
  });
}

/** Counts of rows, as the summary says them of rows with one number of trials each: all of k pass, or at least one. */
function rowCounts(run: number, stats: ScorerStats) {
  const each = trialsPerRow(stats);
  const scored = stats.scored_row_count ?? 0;
  if (each === null) return null;
  const all = each === 1 ? stats.pass_true_count / scored : (stats.pass_hat_k?.[each] ?? null);
  const some = each === 1 ? all : (stats.pass_at_k?.[each] ?? null);
  if (all === null || some === null || (each > 1 && stats.pass_k_row_count?.[each] !== scored)) return null;
  const share = (part: number) => Math.round(part * scored);
  const pass = share(all);
  const partly = share(some) - pass;
  return { pass, partly, fail: scored - pass - partly, noValue: run - scored };
}

function trialShares(one: ShownEvaluation, stats: ScorerStats): Shares {
  const { pass_true_count: pass, pass_known_count: known, expected_trial_count: expected = known } = stats;
  return { one, of: "trials", pass, partly: 0, fail: known - pass, noValue: expected - known, notRun: 0 };
}
