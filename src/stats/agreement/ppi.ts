import { checkFinite, checkObject, checkProbability, checkSameLength } from "../numeric/arguments.ts";
import { normalQuantile, studentTQuantile } from "../numeric/distributions.ts";
import { mean, sampleCovariance, studentInterval, type Interval } from "../estimates/mean.ts";
import { wilson } from "../estimates/rates.ts";

export interface LabelledAndUnlabelled {
  /** Scores of the same rows: `human[i]` and `judge[i]`. */
  readonly labelled: { readonly human: readonly number[]; readonly judge: readonly number[] };
  readonly unlabelled: { readonly judge: readonly number[] };
}

export interface PpiEstimate {
  readonly estimate: number | null;
  readonly standard_error: number | null;
  /** Weight of the judge: 1 when not tuned, 0 where only the human labels count. */
  readonly lambda: number;
}

/**
 * Prediction-powered mean of the human score: a judge's mean over the unlabelled rows, corrected with the rows that
 * people labelled too. θ = λ·mean(f unlabelled) + mean(Y − λ f), SE² = λ² var(f unlabelled)/N + var(Y − λ f)/n. λ = 1
 * (Angelopoulos et al. 2023, arXiv 2301.09633); `tuned` chooses λ = Cov(Y, f)/((1 + n/N) Var f), with the variance
 * over all rows (PPI++, arXiv 2311.01453), within [0, 1] as in the authors' package ppi-python. The estimate is null
 * without a labelled or without an unlabelled row; the standard error is null with only one of either kind.
 */
export function ppi(
  rows: LabelledAndUnlabelled,
  options: { readonly tuned?: boolean | undefined } = {},
): PpiEstimate {
  checkObject("options", options);
  const { tuned = false } = options;
  return ppiOfMoments(ppiMoments(rows, tuned), tuned);
}

/** The moments of the scores for an estimate that is tuned or is not. */
export function ppiMoments(rows: LabelledAndUnlabelled, tuned: boolean): PpiMoments {
  checkObject("the rows", rows);
  const { labelled, unlabelled } = rows;
  checkObject("labelled", labelled);
  checkObject("unlabelled", unlabelled);
  const { human, judge } = labelled;
  checkSameLength("human and judge scores of the labelled rows", human, judge);
  for (const [name, x] of Object.entries({ human, judge, unlabelled: unlabelled.judge }))
    checkFinite(name, x);
  const own = { human: unitOf(human), judge: unitOf([...judge, ...unlabelled.judge]) };
  const shared = Math.min(own.human, own.judge);
  const units = tuned ? own : { human: shared, judge: shared };
  const humans = human.map((value) => value * units.human);
  const [judges = [], others = []] = [judge, unlabelled.judge].map((x) =>
    x.map((value) => value * units.judge),
  );
  return {
    labelled: {
      n: human.length,
      human: momentsOf(humans),
      judge: momentsOf(judges),
      covariance: covarianceOf(humans, judges),
    },
    unlabelled: { n: others.length, judge: momentsOf(others) },
    units,
  };
}

/** A power of two that brings the largest of some values near 1, so that no square overflows. */
function unitOf(x: readonly number[]): number {
  const most = x.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  return most === 0 ? 1 : 2 ** Math.min(MAX_SHIFT, Math.max(-MAX_SHIFT, -Math.floor(Math.log2(most))));
}

const MAX_SHIFT = 1000;

/** The mean and sample variance of some values; a quantity that does not exist is 0. */
interface Moments {
  readonly mean: number;
  readonly variance: number;
}

function momentsOf(x: readonly number[]): Moments {
  return { mean: mean(x) ?? 0, variance: covarianceOf(x, x) };
}

function covarianceOf(x: readonly number[], y: readonly number[]): number {
  return x.length < 2 ? 0 : sampleCovariance(x, y);
}

/** What the estimate is computed from: moments of the scores times `units`, see {@link LabelledAndUnlabelled}. */
export interface PpiMoments {
  readonly labelled: {
    readonly n: number;
    readonly human: Moments;
    readonly judge: Moments;
    readonly covariance: number;
  };
  readonly unlabelled: { readonly n: number; readonly judge: Moments };
  /** Powers of two, so that no square overflows. */
  readonly units: { readonly human: number; readonly judge: number };
}

/** {@link ppi} from moments of the scores. */
export function ppiOfMoments(moments: PpiMoments, tuned = true): PpiEstimate {
  const { labelled, unlabelled, units } = moments;
  const weight = weightOf(moments, tuned);
  const lambda = weight === 0 ? 0 : weight / (units.human / units.judge);
  if (labelled.n === 0 || unlabelled.n === 0) return { estimate: null, standard_error: null, lambda };
  const corrected = weight * unlabelled.judge.mean + (labelled.human.mean - weight * labelled.judge.mean);
  const error = labelled.n < 2 || unlabelled.n < 2 ? null : ppiError(moments, weight);
  return { estimate: corrected / units.human, standard_error: error, lambda };
}

/** λ in the units of the moments, within [0, 1]. Tuned, it is computed with the variance of the judge over all rows. */
function weightOf({ labelled, unlabelled, units }: PpiMoments, tuned: boolean): number {
  const one = units.human / units.judge;
  const [n, count] = [labelled.n, unlabelled.n];
  if (!tuned || n < 2 || count === 0) return one;
  const within = (n - 1) * labelled.judge.variance + (count - 1) * unlabelled.judge.variance;
  const between = ((n * count) / (n + count)) * (labelled.judge.mean - unlabelled.judge.mean) ** 2;
  const variance = (within + between) / (n + count - 1);
  const weight = variance === 0 ? 0 : labelled.covariance / ((1 + n / count) * variance);
  return Math.min(one, Math.max(0, weight));
}

/** The standard error of the estimate with a weight of {@link weightOf}. */
function ppiError({ labelled, unlabelled, units }: PpiMoments, weight: number): number {
  const { n, human, judge, covariance } = labelled;
  const corrected = human.variance - 2 * weight * covariance + weight ** 2 * judge.variance;
  const variance = (weight ** 2 * unlabelled.judge.variance) / unlabelled.n + Math.max(0, corrected) / n;
  return Math.sqrt(variance) / units.human;
}

/**
 * Degrees of freedom of Student's t for a tuned estimate: the labelled rows carry nearly all of its uncertainty, and
 * both their mean and the weight λ are estimated from them, as an intercept and a slope are. No interval exists below
 * 1.
 */
export function ppiFreedom({ labelled, unlabelled }: PpiMoments): number {
  return unlabelled.n < 2 ? 0 : Math.max(0, labelled.n - 2);
}

/** The Student interval of the tuned estimate of {@link ppiOfMoments}; null where it has no spread. */
export function ppiInterval(moments: PpiMoments, confidence = 0.95): Interval | null {
  const { estimate, standard_error } = ppiOfMoments(moments);
  const df = ppiFreedom(moments);
  return df === 0 ? null : studentInterval(estimate, standard_error, df, confidence);
}

/**
 * The interval of a tuned estimate of a rate, within [0, 1]: Wilson's (1927) with the effective number of rows p(1 −
 * p)/SE², no fewer than the labelled rows and no more than all, and with t instead of z. SE is that of {@link
 * cautiousError} between 0 and 1.
 */
export function ppiRateInterval(moments: PpiMoments, confidence = 0.95): Interval | null {
  const { estimate } = ppiOfMoments(moments);
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
 * people can give and with the judge's mean. It stays above 0 where the judge made no error in the few labelled rows,
 * which does not show that it makes none; the estimate itself stays. The same device as in Agresti and Coull 1998
 * (rates) and Bonett and Price 2012 (differences of paired rates).
 */
export function cautiousError(moments: PpiMoments, extremes: readonly [low: number, high: number]): number {
  const { labelled, units } = moments;
  const { n, human, judge, covariance } = labelled;
  const [low, high] = [extremes[0] * units.human, extremes[1] * units.human];
  const centre = (n * human.mean + low + high) / (n + 2);
  const added = (low - centre) ** 2 + (high - centre) ** 2 + n * (human.mean - centre) ** 2;
  const share = (n - 1) / (n + 1);
  const extended = {
    ...labelled,
    human: { ...human, variance: share * human.variance + added / (n + 1) },
    judge: { ...judge, variance: share * judge.variance },
    covariance: share * covariance,
  };
  return ppiError({ ...moments, labelled: extended }, weightOf(moments, true));
}

/**
 * The true rate behind a rate `p` that a judge of known sensitivity and specificity reports: (p + specificity −
 * 1)/(sensitivity + specificity − 1), clipped to [0, 1]; Rogan and Gladen 1978. null for a judge no better than
 * chance (denominator ≤ 0).
 */
export function roganGladen(p: number, sensitivity: number, specificity: number): number | null {
  checkProbability("p", p);
  checkProbability("sensitivity", sensitivity);
  checkProbability("specificity", specificity);
  const youden = sensitivity + specificity - 1;
  return youden <= 0 ? null : Math.min(1, Math.max(0, (p + specificity - 1) / youden));
}
