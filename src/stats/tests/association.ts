import { studentTCdf, studentTQuantile } from "../numeric/distributions.ts";
import { sum } from "../numeric/sum.ts";
import { agreeOnZero, type Interval } from "../estimates/mean.ts";

/** Trials of one row, by whether something happened to them and whether they passed. */
export interface RowOutcomes {
  readonly withPassed: number;
  readonly withFailed: number;
  readonly withoutPassed: number;
  readonly withoutFailed: number;
}

/** How far success goes with what happened; each is null where it does not exist. */
export interface Association {
  /** Rate of those it happened to less that of the others. */
  readonly difference: number | null;
  readonly interval: Interval | null;
  /** Two-sided. */
  readonly p: number | null;
}

const LEAST_ROWS = 5;

/**
 * Whether trials pass less or more often where something happened (e = 1) than where it did not. Trials of one row
 * depend on each other, so rows are the sampling unit: with u the sum over a row's trials of (e − ē)(y − ȳ), y = 1 for
 * passed, t = Σu / √Σu² with (rows − 1) degrees of freedom. This is the generalised score test (Boos 1992), which keeps
 * its level where Wald's does not. The interval is difference ± t √(R/(R − 1) Σw²), w the row's part of the difference
 * of both rates, and leaves out 0 where p is at most 1 − `confidence`. p and interval are null unless five rows have a
 * trial of either kind, and where no row tells anything.
 */
export function associate(rows: readonly RowOutcomes[], confidence: number): Association {
  const total = (of: (row: RowOutcomes) => number) => sum(rows.map(of));
  const [happened, others] = [total(withOf), total(withoutOf)];
  if (happened === 0 || others === 0) return { difference: null, interval: null, p: null };
  const rate = total(({ withPassed }) => withPassed) / happened;
  const rateWithout = total(({ withoutPassed }) => withoutPassed) / others;
  const difference = rate - rateWithout;
  const [trials, passed] = [happened + others, total(passedOf)];
  // Whole numbers, n² as large, so that those of a row that are to vanish do.
  const scores = rows.map((row) => {
    const all = withOf(row) + withoutOf(row);
    const apart = trials * (trials * row.withPassed - happened * passedOf(row) - passed * withOf(row));
    return apart + all * happened * passed;
  });
  const spread = lengthOf(scores);
  const isFew = (of: (row: RowOutcomes) => number) => rows.filter((row) => of(row) > 0).length < LEAST_ROWS;
  if (isFew(withOf) || isFew(withoutOf) || spread === 0) return { difference, interval: null, p: null };
  const tried = rows.filter((row) => withOf(row) + withoutOf(row) > 0).length;
  const t = sum(scores) / spread;
  const p = 2 * studentTCdf(-Math.abs(t), tried - 1);
  const parts = rows.map(
    (row) =>
      (row.withPassed - rate * withOf(row)) / happened -
      (row.withoutPassed - rateWithout * withoutOf(row)) / others,
  );
  const error = Math.sqrt(tried / (tried - 1)) * lengthOf(parts);
  const reach = studentTQuantile((1 + confidence) / 2, tried - 1) * error;
  const within: Interval = [Math.max(-1, difference - reach), Math.min(1, difference + reach)];
  return { difference, interval: agreeOnZero(within, difference, p <= 1 - confidence), p };
}

const lengthOf = (values: readonly number[]) => Math.sqrt(sum(values.map((value) => value * value)));
const withOf = ({ withPassed, withFailed }: RowOutcomes) => withPassed + withFailed;
const withoutOf = ({ withoutPassed, withoutFailed }: RowOutcomes) => withoutPassed + withoutFailed;
const passedOf = ({ withPassed, withoutPassed }: RowOutcomes) => withPassed + withoutPassed;
