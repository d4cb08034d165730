import { checkFinite, checkProbability, checkSameLength } from "./arguments.ts";
import { average, sampleCovariance } from "./mean.ts";

export interface LabelledAndUnlabelled {
  /** The same rows twice: `human[i]` and `judge[i]`. */
  readonly labelled: { readonly human: readonly number[]; readonly judge: readonly number[] };
  readonly unlabelled: { readonly judge: readonly number[] };
}

export interface PpiEstimate {
  readonly estimate: number | null;
  readonly standard_error: number | null;
  /** Weight of the judge: 1 untuned, 0 where only human labels count. */
  readonly lambda: number;
}

/**
 * Prediction-powered mean of the human score: a judge's mean over the unlabelled rows, corrected by the rows
 * that people labelled too. θ = λ·mean(f unlabelled) + mean(Y − λ f),
 * SE² = λ² var(f unlabelled)/N + var(Y − λ f)/n. λ = 1 (Angelopoulos et al. 2023, arXiv 2301.09633); `tuned`
 * chooses λ = Cov(Y, f)/((1 + n/N) Var f), the variance over all rows (PPI++, arXiv 2311.01453), not clipped.
 * No labelled or no unlabelled row: no estimate; one of either: no standard error.
 */
export function ppi(
  { labelled: { human, judge }, unlabelled }: LabelledAndUnlabelled,
  { tuned = false }: { readonly tuned?: boolean } = {},
): PpiEstimate {
  checkSameLength("human and judge scores of the labelled rows", human, judge);
  for (const [name, x] of Object.entries({ human, judge, unlabelled: unlabelled.judge }))
    checkFinite(name, x);
  const n = human.length;
  const count = unlabelled.judge.length;
  const lambda = tuned && n > 1 && count > 0 ? tunedWeight(human, judge, unlabelled.judge) : 1;
  if (n === 0 || count === 0) return { estimate: null, standard_error: null, lambda };
  const corrections = human.map((truth, i) => truth - lambda * (judge[i] ?? 0));
  const estimate = lambda * average(unlabelled.judge) + average(corrections);
  if (n < 2 || count < 2) return { estimate, standard_error: null, lambda };
  const judgeVariance = sampleCovariance(unlabelled.judge, unlabelled.judge);
  const correctionVariance = sampleCovariance(corrections, corrections);
  const error = Math.sqrt((lambda ** 2 * judgeVariance) / count + correctionVariance / n);
  return { estimate, standard_error: error, lambda };
}

function tunedWeight(
  human: readonly number[],
  judge: readonly number[],
  unlabelled: readonly number[],
): number {
  const all = [...judge, ...unlabelled];
  const variance = sampleCovariance(all, all);
  if (variance === 0) return 0;
  return sampleCovariance(human, judge) / ((1 + human.length / unlabelled.length) * variance);
}

/**
 * The true rate behind a rate `p` that a judge of known sensitivity and specificity reports:
 * (p + specificity − 1)/(sensitivity + specificity − 1), clipped to [0, 1]; Rogan and Gladen 1978. null for a
 * judge no better than chance (denominator ≤ 0).
 */
export function roganGladen(p: number, sensitivity: number, specificity: number): number | null {
  checkProbability("p", p);
  checkProbability("sensitivity", sensitivity);
  checkProbability("specificity", specificity);
  const youden = sensitivity + specificity - 1;
  return youden <= 0 ? null : Math.min(1, Math.max(0, (p + specificity - 1) / youden));
}
