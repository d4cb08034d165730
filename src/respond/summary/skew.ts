import type { ScorerStats } from "./scorer-stats.ts";
import { nameText } from "../../model/name-text.ts";

/** One row alone weighs much from this share of the sum of squares on. */
const MUCH = 1 / 3;
/** With fewer rows, one always does. */
const LEAST_ROWS = 5;

/**
 * The share that the row farthest from the mean has of Σ(value − row_mean)², where it is above a third: then Student's
 * interval of the mean may be too narrow. null otherwise, and for true and false.
 */
export function largestShare(stats: ScorerStats): number | null {
  const { value_type: type, row_mean: mean, stddev, min, max, scored_row_count: n = 0 } = stats;
  if (type !== "continuous" || n < LEAST_ROWS || mean == null || !stddev || min == null || max == null)
    return null;
  const farthest = Math.max(max - mean, mean - min) / stddev;
  const share = farthest ** 2 / (n - 1);
  return share > MUCH ? share : null;
}

/** What to say of it, behind the name of the evaluation. */
export function skewNote(score: string, share: number, { scored_row_count: n = 0 }: ScorerStats): string {
  const percent = Math.round(share * 100);
  return `${nameText(score)}: one of ${n} rows has ${percent}% of the sum of squares around the mean, whose interval may be too narrow`;
}
