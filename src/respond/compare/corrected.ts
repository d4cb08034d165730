import type { DifferenceMoments } from "../../plan/results.ts";
import { cautiousError, ppiFreedom, ppiOfMoments, type PpiMoments } from "../../stats/agreement/ppi.ts";
import type { Interval } from "../../stats/estimates/mean.ts";
import { momentsOf, NO_LABELS } from "../agreement/corrected-means.ts";
import { finiteOrNull } from "../summary/exact-moments.ts";
import type { CorrectedDifference } from "./correction.ts";
import { byStudent, NO_ESTIMATE, NORMAL, type Estimate } from "./estimate.ts";

const LEAST_LABELLED = 3;
const LEAST_OTHERS = 2;

/** Corrects a difference. `found` is null where no row is shared. */
export function correctedDifference(found: DifferenceMoments | null, human: string): CorrectedDifference {
  const { moments, baseline } = found ?? NOTHING;
  const { labelled, unlabelled, zeroOne } = moments;
  const correction = {
    human,
    n_labelled: labelled.n,
    n_unlabelled: unlabelled.n,
    lambda: null,
    human_difference: labelled.a,
    judge_difference_labelled: labelled.b,
    judge_difference_unlabelled: unlabelled.b,
  };
  const without = (reason: string) => ({
    correction,
    baselineMean: null,
    candidateMean: null,
    estimate: { ...NO_ESTIMATE, reason },
  });
  if (labelled.n < LEAST_LABELLED || unlabelled.n < LEAST_OTHERS)
    return without(
      `a correction needs ${LEAST_LABELLED} rows with labels on both sides and ${LEAST_OTHERS} others; there are ${labelled.n} and ${unlabelled.n}`,
    );
  const rounded = withoutRounding(momentsOf(moments), (found ?? NOTHING).size ?? 0);
  const { estimate, standard_error: plain, lambda } = ppiOfMoments(rounded);
  const error = zeroOne ? cautiousError(rounded, [-1, 1]) : plain;
  const difference = finiteOrNull(estimate);
  if (difference === null || error === null || error === 0 || !Number.isFinite(error))
    return without("the labels give the same difference on every row, which tells no spread");
  const base = (baseline.a ?? 0) + lambda * ((baseline.c ?? 0) - (baseline.b ?? 0));
  return {
    correction: { ...correction, lambda },
    baselineMean: within(base, zeroOne ? [0, 1] : null),
    candidateMean: within(base + difference, zeroOne ? [0, 1] : null),
    estimate: tested(difference, error, { df: ppiFreedom(rounded), n: labelled.n, zeroOne }),
  };
}

interface Testing {
  readonly df: number;
  readonly n: number;
  readonly zeroOne: boolean;
}

function tested(difference: number, error: number, { df, n, zeroOne }: Testing): Estimate {
  const bounds = zeroOne ? ([-1, 1] as const) : null;
  const student = byStudent("ppi", difference, error, df);
  const clipped = (interval: Interval | null): Interval | null =>
    interval === null ? null : [within(interval[0], bounds), within(interval[1], bounds)];
  const { oneSided, intervalAt } = student;
  return {
    ...student,
    difference: within(difference, bounds),
    error,
    oneSided: { ...oneSided, boundsAt: (alpha) => clipped(oneSided.boundsAt(alpha)) },
    intervalAt: (alpha) => clipped(intervalAt(alpha)),
    sample: { kind: "mean", n, df, standardError: error, ...NORMAL },
  };
}

/** Labels whose differences only the rounding of doubles tells apart are equal. */
function withoutRounding(moments: PpiMoments, size: number): PpiMoments {
  const { labelled, units } = moments;
  const spread = Math.sqrt(labelled.human.variance) / units.human;
  if (spread > ROUNDING * size) return moments;
  const human = { ...labelled.human, variance: 0 };
  return { ...moments, labelled: { ...labelled, human, covariance: 0 } };
}

const ROUNDING = 4 * Number.EPSILON;

function within(value: number, bounds: Interval | null): number {
  return bounds === null ? value : Math.min(bounds[1], Math.max(bounds[0], value));
}

const NOTHING: DifferenceMoments = {
  moments: NO_LABELS,
  size: null,
  baseline: { a: null, b: null, c: null },
};
