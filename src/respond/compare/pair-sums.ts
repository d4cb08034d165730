import type { ClusterWords, ExactMoments } from "../../plan/results.ts";
import { clusteredError, type ClusteredError } from "../summary/cluster-error.ts";
import { exactStandardError, scaleByPower } from "../summary/exact-moments.ts";

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
