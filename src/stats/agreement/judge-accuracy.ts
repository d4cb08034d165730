import { check, checkCount, checkRows, checkSameLength } from "../numeric/arguments.ts";

/** How well the verdicts of a judge match the truth. */
export interface JudgeAccuracy {
  /** Trials with both. */
  readonly n: number;
  /** Raw agreement. */
  readonly accuracy: number | null;
  /** Of the positive verdicts, the share that is right. */
  readonly precision: number | null;
  /** Of the true positives, the share that the judge found. */
  readonly recall: number | null;
  /** Harmonic mean of precision and recall. */
  readonly f1: number | null;
}

/**
 * A judge's verdicts against the human ones as truth, row by row; a share without rows to divide by is null.
 */
export function judgeAccuracy(human: readonly boolean[], judge: readonly boolean[]): JudgeAccuracy {
  checkSameLength("human and judge", human, judge);
  const count = (truth: boolean, verdict: boolean): number =>
    human.filter((value, i) => value === truth && judge[i] === verdict).length;
  return judgeAccuracyOfCounts([
    [count(false, false), count(false, true)],
    [count(true, false), count(true, true)],
  ]);
}

/** {@link judgeAccuracy} of counts by truth, false first, and verdict. */
export function judgeAccuracyOfCounts(
  table: readonly [readonly [number, number], readonly [number, number]],
): JudgeAccuracy {
  checkRows("the table", table);
  check(table.length === 2, "a table of two rows");
  const [[rejections, falseAlarms], [misses, hits]] = table;
  for (const count of [rejections, falseAlarms, misses, hits]) checkCount("a count", count);
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
