import type { Plan } from "../../plan/plan.ts";
import type { LabelMoments } from "../../plan/results.ts";
import { ppiInterval, ppiOfMoments, ppiRateInterval, type PpiMoments } from "../../stats/agreement/ppi.ts";
import type { CorrectedMean } from "./agreement.ts";

/** Returns one entry per evaluation, in request order. */
export function correctedMeans(
  plan: Plan,
  found: readonly LabelMoments[],
  confidence: number,
): CorrectedMean[] {
  return plan.evaluationKeys.map((key, i) => {
    const moments = found.find((one) => one.evaluationKey === key) ?? NO_LABELS;
    return correctedMean(plan.evaluationIds[i] ?? "", moments, confidence);
  });
}

/** The means of an evaluation without values. */
export const NO_LABELS: LabelMoments = {
  evaluationKey: 0,
  unitA: 1,
  unitB: 1,
  zeroOne: false,
  labelled: { n: 0, a: null, b: null, aa: 0, bb: 0, ab: 0 },
  unlabelled: { n: 0, b: null, bb: 0 },
};

/** The mean of labels that are all 0 or 1 is a rate. */
function correctedMean(id: string, found: LabelMoments, confidence: number): CorrectedMean {
  const { labelled, unlabelled, zeroOne } = found;
  const { n, a, b } = labelled;
  const moments = momentsOf(found);
  const { estimate, standard_error, lambda } = ppiOfMoments(moments);
  return {
    evaluation_call_id: id,
    n_labelled: n,
    n_unlabelled: unlabelled.n,
    human_mean: n === 0 ? null : a,
    judge_mean_labelled: n === 0 ? null : b,
    judge_mean_unlabelled: unlabelled.n === 0 ? null : unlabelled.b,
    lambda: estimate === null ? null : lambda,
    estimate: estimate === null || !zeroOne ? estimate : Math.min(1, Math.max(0, estimate)),
    standard_error,
    confidence_interval: zeroOne ? ppiRateInterval(moments, confidence) : ppiInterval(moments, confidence),
  };
}

/** The moments that SQL found, as the estimate takes them. */
export function momentsOf({ unitA, unitB, labelled, unlabelled }: LabelMoments): PpiMoments {
  const { n, a, b, aa, bb, ab } = labelled;
  return {
    labelled: {
      n,
      human: { mean: (a ?? 0) * unitA, variance: variance(aa, n) },
      judge: { mean: (b ?? 0) * unitB, variance: variance(bb, n) },
      covariance: variance(ab, n),
    },
    unlabelled: {
      n: unlabelled.n,
      judge: { mean: (unlabelled.b ?? 0) * unitB, variance: variance(unlabelled.bb, unlabelled.n) },
    },
    units: { human: unitA, judge: unitB },
  };
}

function variance(squares: number, size: number): number {
  return size < 2 ? 0 : squares / (size - 1);
}
