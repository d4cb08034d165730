import type { ClusterWords, ExactMoments } from "../../plan/results.ts";
import type { TaskWeights } from "../../request/where.ts";
import { average } from "../../stats/estimates/mean.ts";
import { clusteredError, type ClusteredError } from "../summary/cluster-error.ts";
import { exactAverage, exactStandardError, pooledAverage, scaleByPower } from "../summary/exact-moments.ts";

/** Sums over the rows that two evaluations share, as whole multiples of 2^-shift. */
export interface PairSums {
  /** Moments of candidate - baseline. */
  readonly differences: ExactMoments;
  readonly baselineMean: number;
  readonly candidateMean: number;
  /** The least and the largest difference. */
  readonly least: number;
  readonly most: number;
  /** Rows with a positive difference, beyond `rounding`. */
  readonly higher: number;
  /** Rows with a negative difference, beyond `rounding`. */
  readonly lower: number;
  /** How far apart doubles of the size of these values may lie that are meant to be equal, in words. */
  readonly rounding: number;
  /** Whether all differences are equal, up to the rounding of doubles. */
  readonly equal: boolean;
  /** Whether every row has one trial in both evaluations. */
  readonly single: boolean;
  /** null where rows are not clustered. */
  readonly clusters: readonly ClusterWords[] | null;
  /** The tasks that these sums are of, where tasks are pooled. */
  readonly pooled?: { readonly weights: TaskWeights; readonly tasks: readonly PairSums[] };
}

/** The mean of the differences; of tasks that weigh alike, the mean over tasks. */
export function meanDifference({ differences, pooled }: PairSums): number {
  return pooled?.weights === "tasks"
    ? pooledAverage(
        pooled.tasks.map((task) => task.differences),
        "means",
      )
    : exactAverage(differences);
}

/** The sums over the rows of all tasks, none of which has clusters; null without a task. */
export function poolSums(tasks: readonly PairSums[], weights: TaskWeights): PairSums | null {
  const [first] = tasks;
  if (first === undefined) return null;
  const shift = Math.max(...tasks.map(({ differences }) => differences.shift));
  const total = (of: (task: PairSums) => number) => tasks.reduce((sum, task) => sum + of(task), 0);
  const words = (of: (moments: ExactMoments) => bigint, power: bigint) =>
    tasks.reduce((sum, { differences: one }) => sum + (of(one) << (power * BigInt(shift - one.shift))), 0n);
  const n = total(({ differences }) => differences.n);
  const mean = (of: (task: PairSums) => number) =>
    weights === "tasks" ? average(tasks.map(of)) : total((task) => (task.differences.n / n) * of(task));
  return {
    differences: {
      n,
      sum: words(({ sum }) => sum, 1n),
      squares: words(({ squares }) => squares, 2n),
      unit: 1n,
      shift,
    },
    baselineMean: mean(({ baselineMean }) => baselineMean),
    candidateMean: mean(({ candidateMean }) => candidateMean),
    least: Math.min(...tasks.map(({ least }) => least)),
    most: Math.max(...tasks.map(({ most }) => most)),
    higher: total(({ higher }) => higher),
    lower: total(({ lower }) => lower),
    rounding: Math.max(...tasks.map(({ rounding }) => rounding)),
    equal: tasks.every(
      ({ equal, differences }) => equal && exactAverage(differences) === exactAverage(first.differences),
    ),
    single: tasks.every(({ single }) => single),
    clusters: null,
    pooled: { weights, tasks },
  };
}

/** The same sums with baseline and candidate exchanged. */
export function exchanged(sums: PairSums): PairSums {
  const { differences, baselineMean, candidateMean, least, most, higher, lower } = sums;
  return {
    ...sums,
    differences: { ...differences, sum: -differences.sum },
    baselineMean: candidateMean,
    candidateMean: baselineMean,
    least: -most,
    most: -least,
    higher: lower,
    lower: higher,
  };
}

/**
 * The standard error of the mean difference and its degrees of freedom, over rows or over clusters (CR2). The error
 * is 0 where all differences (the means of all clusters) are equal up to rounding; null for fewer than two rows or
 * clusters and where it exceeds the range of doubles.
 */
export function differenceError({ differences, clusters, equal, rounding }: PairSums): ClusteredError {
  const known =
    clusters === null
      ? { error: exactStandardError(differences), df: differences.n - 1 }
      : clusteredError(clusters, differences);
  const none = scaleByPower(rounding, -differences.shift);
  const vanishes = equal || (clusters !== null && known.error !== null && known.error <= none);
  return known.df > 0 && vanishes ? { ...known, error: 0 } : known;
}
