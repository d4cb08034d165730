import type { Plan } from "../../plan/plan.ts";
import type { LabelMoments } from "../../plan/results.ts";
import { normalQuantile } from "../../stats/numeric/distributions.ts";
import { ppiOfMoments, type PpiEstimate } from "../../stats/agreement/ppi.ts";
import type { CorrectedMean } from "./agreement.ts";

/** Returns one entry per evaluation, in request order. */
export function correctedMeans(
  plan: Plan,
  found: readonly LabelMoments[],
  confidence: number,
): CorrectedMean[] {
  const reach = normalQuantile((1 + confidence) / 2);
  return plan.evaluationKeys.map((key, i) => {
    const moments = found.find((one) => one.evaluationKey === key) ?? NOTHING;
    return correctedMean(plan.evaluationIds[i] ?? "", moments, reach);
  });
}

const NOTHING: Omit<LabelMoments, "evaluationKey"> = {
  unitA: 1,
  unitB: 1,
  labelled: { n: 0, a: null, b: null, aa: 0, bb: 0, ab: 0 },
  unlabelled: { n: 0, b: null, bb: 0 },
};

function correctedMean(
  id: string,
  moments: Omit<LabelMoments, "evaluationKey">,
  reach: number,
): CorrectedMean {
  const { labelled, unlabelled } = moments;
  const { n, a, b } = labelled;
  const { estimate, standard_error: error, lambda } = estimateOf(moments);
  return {
    evaluation_call_id: id,
    n_labelled: n,
    n_unlabelled: unlabelled.n,
    human_mean: n === 0 ? null : a,
    judge_mean_labelled: n === 0 ? null : b,
    judge_mean_unlabelled: unlabelled.n === 0 ? null : unlabelled.b,
    lambda: estimate === null ? null : lambda,
    estimate,
    standard_error: error,
    confidence_interval:
      estimate === null || error === null || error === 0
        ? null
        : [estimate - reach * error, estimate + reach * error],
  };
}

/** The estimate of the scaled scores, scaled back: all its terms are in the unit of the labels. */
function estimateOf({
  unitA,
  unitB,
  labelled,
  unlabelled,
}: Omit<LabelMoments, "evaluationKey">): PpiEstimate {
  const { n, a, b, aa, bb, ab } = labelled;
  // One label tells no variance: the weight of the judge is then 1, in the unit of the scores.
  const [human, judge] = n < 2 ? [1, 1] : [unitA, unitB];
  const scaled = ppiOfMoments(
    {
      labelled: {
        n,
        human: { mean: (a ?? 0) * human, variance: variance(aa, n) },
        judge: { mean: (b ?? 0) * judge, variance: variance(bb, n) },
        covariance: variance(ab, n),
      },
      unlabelled: {
        n: unlabelled.n,
        judge: { mean: (unlabelled.b ?? 0) * judge, variance: variance(unlabelled.bb, unlabelled.n) },
      },
    },
    { tuned: true },
  );
  return {
    estimate: scaled.estimate === null ? null : scaled.estimate / human,
    standard_error: scaled.standard_error === null ? null : scaled.standard_error / human,
    lambda: (scaled.lambda * judge) / human,
  };
}

function variance(squares: number, size: number): number {
  return size < 2 ? 0 : squares / (size - 1);
}
