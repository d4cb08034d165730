import type { Plan } from "../../plan/plan.ts";
import type { LabelMoments } from "../../plan/results.ts";
import { normalQuantile } from "../../stats/numeric/distributions.ts";
import { ppiOfMoments } from "../../stats/agreement/ppi.ts";
import type { CorrectedMean } from "./agreement.ts";

/** Returns one entry per evaluation, in request order. */
export function correctedMeans(
  plan: Plan,
  found: readonly LabelMoments[],
  confidence: number,
): CorrectedMean[] {
  const reach = normalQuantile((1 + confidence) / 2);
  return plan.evaluationKeys.map((key, i) => {
    const { labelled, unlabelled } = found.find((one) => one.evaluationKey === key) ?? NOTHING;
    return correctedMean(plan.evaluationIds[i] ?? "", labelled, unlabelled, reach);
  });
}

const NOTHING: Omit<LabelMoments, "evaluationKey"> = {
  labelled: { n: 0, a: null, b: null, aa: 0, bb: 0, ab: 0 },
  unlabelled: { n: 0, b: null, bb: 0 },
};

function correctedMean(
  id: string,
  { n, a, b, aa, bb, ab }: LabelMoments["labelled"],
  unlabelled: LabelMoments["unlabelled"],
  reach: number,
): CorrectedMean {
  const moments = {
    labelled: {
      n,
      human: { mean: a ?? 0, variance: variance(aa, n) },
      judge: { mean: b ?? 0, variance: variance(bb, n) },
      covariance: variance(ab, n),
    },
    unlabelled: {
      n: unlabelled.n,
      judge: { mean: unlabelled.b ?? 0, variance: variance(unlabelled.bb, unlabelled.n) },
    },
  };
  const { estimate, standard_error: error, lambda } = ppiOfMoments(moments, { tuned: true });
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

function variance(squares: number, size: number): number {
  return size < 2 ? 0 : squares / (size - 1);
}
