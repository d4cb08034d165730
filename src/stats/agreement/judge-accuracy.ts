/** Agreement of a judge's verdicts with the truth. */
export interface JudgeAccuracy {
  /** Trials with a verdict and a truth. */
  readonly n: number;
  /** Share of verdicts that equal the truth. */
  readonly accuracy: number | null;
  /** Share of the positive verdicts that are right. */
  readonly precision: number | null;
  /** Share of the truly positive trials that the judge found. */
  readonly recall: number | null;
  /** Harmonic mean of precision and recall. */
  readonly f1: number | null;
}

/**
 * Compares a judge's verdicts with the human ones as truth, from counts `table[truth][verdict]`, false before true; a
 * share with a denominator of 0 is null.
 */
export function judgeAccuracy(table: readonly (readonly number[])[]): JudgeAccuracy {
  const [[rejections = 0, falseAlarms = 0] = [], [misses = 0, hits = 0] = []] = table;
  const n = rejections + falseAlarms + misses + hits;
  return {
    n,
    accuracy: share(hits + rejections, n),
    precision: share(hits, hits + falseAlarms),
    recall: share(hits, hits + misses),
    f1: share(2 * hits, 2 * hits + falseAlarms + misses),
  };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
