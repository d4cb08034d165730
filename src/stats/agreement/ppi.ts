import {
  check,
  checkCount,
  checkFinite,
  checkObject,
  checkProbability,
  checkSameLength,
} from "../numeric/arguments.ts";
import { average, sampleCovariance } from "../estimates/mean.ts";

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
export function ppi(rows: LabelledAndUnlabelled, options: { readonly tuned?: boolean } = {}): PpiEstimate {
  checkObject("options", options);
  const { tuned = false } = options;
  return ppiOfMoments(ppiMoments(rows, tuned), options);
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
  return {
    labelled: {
      n: human.length,
      human: momentsOf(human, units.human),
      judge: momentsOf(judge, units.judge),
      covariance:
        human.length < 2 ? 0 : sampleCovariance(scaled(human, units.human), scaled(judge, units.judge)),
    },
    unlabelled: { n: unlabelled.judge.length, judge: momentsOf(unlabelled.judge, units.judge) },
    units,
  };
}

/** A power of two that brings the largest of some values near 1, so that no square overflows. */
function unitOf(x: readonly number[]): number {
  const most = x.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  return most === 0 ? 1 : 2 ** Math.min(MAX_SHIFT, Math.max(-MAX_SHIFT, -Math.floor(Math.log2(most))));
}

const MAX_SHIFT = 1000;

function scaled(x: readonly number[], unit: number): readonly number[] {
  return x.map((value) => value * unit);
}

/** The mean and sample variance of some values; a quantity that does not exist is 0. */
export interface Moments {
  readonly mean: number;
  readonly variance: number;
}

/** Moments that the estimate is computed from; see {@link LabelledAndUnlabelled}. */
export interface PpiMoments {
  readonly labelled: {
    readonly n: number;
    readonly human: Moments;
    readonly judge: Moments;
    readonly covariance: number;
  };
  readonly unlabelled: { readonly n: number; readonly judge: Moments };
  /**
   * What scores were multiplied by before variances and covariance were taken, so that no square overflows; the means are
   * those of the scores as they are. Default 1.
   */
  readonly units?: { readonly human: number; readonly judge: number };
}

/** {@link ppi} from moments of the scores. */
export function ppiOfMoments(moments: PpiMoments, options: { readonly tuned?: boolean } = {}): PpiEstimate {
  checkObject("options", options);
  checkMoments(moments);
  const { tuned = false } = options;
  const { labelled, unlabelled, units = NO_UNITS } = moments;
  const { n, human, judge } = labelled;
  const count = unlabelled.n;
  const weight = weightOf(moments, tuned);
  const lambda = weight === 0 ? 0 : weight / (units.human / units.judge);
  if (n === 0 || count === 0) return { estimate: null, standard_error: null, lambda };
  const estimate = lambda * unlabelled.judge.mean + (human.mean - lambda * judge.mean);
  if (n < 2 || count < 2) return { estimate, standard_error: null, lambda };
  return { estimate, standard_error: ppiError(moments, weight), lambda };
}

const NO_UNITS = { human: 1, judge: 1 };

/** λ in the units of the moments. */
export function weightOf(moments: PpiMoments, tuned: boolean): number {
  const { labelled, unlabelled, units = NO_UNITS } = moments;
  const one = units.human / units.judge;
  if (!tuned || labelled.n < 2 || unlabelled.n === 0) return one;
  return Math.min(one, Math.max(0, tunedWeight(moments)));
}

/** The standard error of the estimate with a weight of {@link weightOf}. */
export function ppiError({ labelled, unlabelled, units = NO_UNITS }: PpiMoments, weight: number): number {
  const { n, human, judge, covariance } = labelled;
  const corrected = human.variance - 2 * weight * covariance + weight ** 2 * judge.variance;
  const variance = (weight ** 2 * unlabelled.judge.variance) / unlabelled.n + Math.max(0, corrected) / n;
  return Math.sqrt(variance) / units.human;
}

function checkMoments(moments: PpiMoments): void {
  checkObject("the moments", moments);
  const { labelled, unlabelled } = moments;
  checkObject("labelled", labelled);
  checkObject("unlabelled", unlabelled);
  checkCount("labelled.n", labelled.n);
  checkCount("unlabelled.n", unlabelled.n);
  const { units = NO_UNITS } = moments;
  checkObject("units", units);
  check(units.human > 0 && units.judge > 0, "units above 0");
  // Moments of no rows may be NaN, so they need not be finite.
  const numbers: unknown[] = [labelled.covariance];
  for (const part of [labelled.human, labelled.judge, unlabelled.judge]) {
    checkObject("every mean with its variance", part);
    numbers.push(part.mean, part.variance);
  }
  check(
    numbers.every((value) => typeof value === "number"),
    "means, variances and the covariance to be numbers",
  );
}

function momentsOf(x: readonly number[], unit: number): Moments {
  return {
    mean: x.length === 0 ? 0 : average(x),
    variance: x.length < 2 ? 0 : sampleCovariance(scaled(x, unit), scaled(x, unit)),
  };
}

/** λ, computed with the variance of the judge over all rows. */
function tunedWeight({ labelled, unlabelled, units = NO_UNITS }: PpiMoments): number {
  const n = labelled.n;
  const count = unlabelled.n;
  const within = (n - 1) * labelled.judge.variance + (count - 1) * unlabelled.judge.variance;
  const apart = labelled.judge.mean * units.judge - unlabelled.judge.mean * units.judge;
  const between = ((n * count) / (n + count)) * apart ** 2;
  const variance = (within + between) / (n + count - 1);
  return variance === 0 ? 0 : labelled.covariance / ((1 + n / count) * variance);
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
