import { checkSameLength } from "./arguments.ts";

export interface JudgeAccuracy {
  readonly n: number;
  /** Raw agreement. */
  readonly accuracy: number | null;
  readonly precision: number | null;
  readonly recall: number | null;
  readonly f1: number | null;
}

/**
 * A judge's verdicts against the human ones as truth, row by row; a share without rows to divide by is null.
 */
export function judgeAccuracy(human: readonly boolean[], judge: readonly boolean[]): JudgeAccuracy {
  checkSameLength("human and judge", human, judge);
  const count = (truth: boolean, verdict: boolean): number =>
    human.filter((value, i) => value === truth && judge[i] === verdict).length;
  const hits = count(true, true);
  const falseAlarms = count(false, true);
  const misses = count(true, false);
  return {
    n: human.length,
    accuracy: share(hits + count(false, false), human.length),
    precision: share(hits, hits + falseAlarms),
    recall: share(hits, hits + misses),
    f1: share(2 * hits, 2 * hits + falseAlarms + misses),
  };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
