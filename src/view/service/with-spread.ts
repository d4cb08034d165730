import type { Summary } from "../../respond/summary/scorer-stats.ts";
import { scoreKey } from "../words/score.ts";

/** The summary with what another one of the same evaluations says beyond it. */
export function withSpread(summary: Summary, spread: Summary): Summary {
  const others = new Map(spread.evaluations.map((one) => [one.evaluation_call_id, one]));
  return {
    ...summary,
    evaluations: summary.evaluations.map((one) => {
      const other = others.get(one.evaluation_call_id);
      const histograms = new Map(other?.scorer_stats.map((stats) => [scoreKey(stats), stats.histogram]));
      return {
        ...one,
        ...(other?.usage === undefined ? {} : { usage: other.usage }),
        ...(other?.row_count === undefined ? {} : { row_count: other.row_count }),
        ...(other?.errors === undefined
          ? {}
          : { errors: other.errors, other_error_count: other.other_error_count ?? 0 }),
        scorer_stats: one.scorer_stats.map((stats) => {
          const histogram = histograms.get(scoreKey(stats));
          return histogram === undefined ? stats : { ...stats, histogram };
        }),
      };
    }),
  };
}
