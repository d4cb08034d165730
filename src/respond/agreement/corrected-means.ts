import type { SqlValue } from "../../store/sql.ts";
import type { Plan } from "../../plan/plan.ts";
import { normalQuantile } from "../../stats/numeric/distributions.ts";
import { ppiOfMoments } from "../../stats/agreement/ppi.ts";
import type { CorrectedMean } from "./agreement.ts";

/**
 * One entry an evaluation, in request order, from what SQL summed over the means of rows: (evaluation_key, n,
 * ā, b̄, Σ(a − ā)², Σ(b − b̄)², Σ(a − ā)(b − b̄)) of labelled rows, (n, b̄, Σ(b − b̄)²) of unlabelled ones.
 */
export function correctedMeans(
  plan: Plan,
  sums: readonly (readonly SqlValue[])[],
  confidence: number,
): CorrectedMean[] {
  const reach = normalQuantile((1 + confidence) / 2);
  return plan.evaluationKeys.map((key, i) => {
    const found = sums.find(([one]) => Number(one) === key) ?? [];
    return correctedMean(plan.evaluationIds[i] ?? "", found, reach);
  });
}

function correctedMean(id: string, sums: readonly SqlValue[], reach: number): CorrectedMean {
  const [, n = 0, human = 0, judge = 0, aa = 0, bb = 0, ab = 0, count = 0, alone = 0, cc = 0] =
    sums.map(Number);
  const moments = {
    labelled: {
      n,
      human: { mean: human, variance: variance(aa, n) },
      judge: { mean: judge, variance: variance(bb, n) },
      covariance: variance(ab, n),
    },
    unlabelled: { n: count, judge: { mean: alone, variance: variance(cc, count) } },
  };
  const { estimate, standard_error: error, lambda } = ppiOfMoments(moments, { tuned: true });
  return {
    evaluation_call_id: id,
    n_labelled: n,
    n_unlabelled: count,
    human_mean: n === 0 ? null : human,
    judge_mean_labelled: n === 0 ? null : judge,
    judge_mean_unlabelled: count === 0 ? null : alone,
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
