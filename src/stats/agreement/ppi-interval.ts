import { checkProbability } from "../numeric/arguments.ts";
import { normalQuantile, studentTQuantile } from "../numeric/distributions.ts";
import { studentInterval, type Interval } from "../estimates/mean.ts";
import { wilson } from "../estimates/rates.ts";
import { ppiError, ppiOfMoments, weightOf, type PpiMoments } from "./ppi.ts";

/**
 * Degrees of freedom of Student's t for a tuned estimate: the labelled rows carry nearly all of its uncertainty, and both
 * their mean and the weight λ are estimated from them, as an intercept and a slope are. No interval exists below 1.
 */
export function ppiFreedom({ labelled, unlabelled }: PpiMoments): number {
  return unlabelled.n < 2 ? 0 : Math.max(0, labelled.n - 2);
}

/** The Student interval of the tuned estimate of {@link ppiOfMoments}; null where it has no spread. */
export function ppiInterval(moments: PpiMoments, confidence = 0.95): Interval | null {
  checkProbability("confidence", confidence, true);
  const { estimate, standard_error } = ppiOfMoments(moments, { tuned: true });
  const df = ppiFreedom(moments);
  return df === 0 ? null : studentInterval(estimate, standard_error, df, confidence);
}

/**
 * The interval of a tuned estimate of a rate, within [0, 1]: Wilson's (1927) with the effective number of rows p(1 − p)/SE²,
 * no fewer than the labelled rows and no more than all, and with t instead of z. SE is that of {@link cautiousError} between
 * 0 and 1.
 */
export function ppiRateInterval(moments: PpiMoments, confidence = 0.95): Interval | null {
  checkProbability("confidence", confidence, true);
  const { estimate } = ppiOfMoments(moments, { tuned: true });
  const df = ppiFreedom(moments);
  if (estimate === null || df === 0) return null;
  const { labelled, unlabelled } = moments;
  const rate = Math.min(1, Math.max(0, estimate));
  const effective = (rate * (1 - rate)) / cautiousError(moments, [0, 1]) ** 2;
  const rows = Math.min(labelled.n + unlabelled.n, Math.max(labelled.n, effective));
  const tail = (1 + confidence) / 2;
  // The interval depends on z²/n alone.
  const n = rows * (normalQuantile(tail) / studentTQuantile(tail, df)) ** 2;
  return wilson(rate * n, n, confidence);
}

/**
 * The standard error of the tuned estimate as if two more rows were labelled, with the least and the largest value that
 * people can give and with the judge's mean. It stays above 0 where the judge made no error in the few labelled rows, which
 * does not show that it makes none; the estimate itself stays. The same device as in Agresti and Coull 1998 (rates) and
 * Bonett and Price 2012 (differences of paired rates).
 */
export function cautiousError(moments: PpiMoments, extremes: readonly [low: number, high: number]): number {
  const { labelled, units = { human: 1, judge: 1 } } = moments;
  const { n, human, judge, covariance } = labelled;
  const mean = (n * human.mean + extremes[0] + extremes[1]) / (n + 2);
  const apart = (value: number) => ((value - mean) * units.human) ** 2;
  const added = apart(extremes[0]) + apart(extremes[1]) + n * apart(human.mean);
  const share = (n - 1) / (n + 1);
  const extended = {
    ...labelled,
    human: { ...human, variance: share * human.variance + added / (n + 1) },
    judge: { ...judge, variance: share * judge.variance },
    covariance: share * covariance,
  };
  return ppiError({ ...moments, labelled: extended }, weightOf(moments, true));
}
