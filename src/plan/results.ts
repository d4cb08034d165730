import type { CountedTrials } from "../model/counting.ts";
import type { Key } from "../model/digest.ts";
import type { SeriesPlace } from "../model/series-key.ts";
import type { PassKAsked } from "../request/eval-request.ts";
import type { UsageMeasure } from "./plan.ts";

/* Results of the statements of a request, as plain data. */

/** Counts and sums of a summary. */
export interface ScoreSums {
  readonly rowCount: number;
  readonly trialCounts: ReadonlyMap<number, number>;
  /** Tokens of the evaluations of which a trial has some. */
  readonly tokens: ReadonlyMap<number, number>;
  /** Costs of the evaluations of which a trial has one. */
  readonly costs: ReadonlyMap<number, number | null>;
  readonly sums: readonly ScoreSum[];
  /** null where the request needs none. */
  readonly rowStatistics: RowStatistics | null;
}

/** Statistics of row values; map keys come from `seriesKey`. */
export interface RowStatistics {
  readonly samples: ReadonlyMap<string, RowSample>;
  /** null without `include_uncertainty`. */
  readonly outcomes: OutcomeCounts | null;
  readonly passK: PassKAsked;
  /** null without `histogram_bins`. */
  readonly histograms: Histograms | null;
  /** By evaluation key; null without `include_usage`. */
  readonly usage: ReadonlyMap<number, UsageSamples> | null;
  /** Rows with a trial, by evaluation key; none has no entry. Null without `include_row_counts`. */
  readonly rowCounts: ReadonlyMap<number, number> | null;
}

/** Histograms of row values on edges that the evaluations of a dimension share. */
export interface Histograms {
  /** Ascending, one more than bins; by path key, only of dimensions that have a number. */
  readonly edges: ReadonlyMap<number, readonly number[]>;
  /** Rows in each bin; map keys come from `seriesKey`. A series without a row value has none. */
  readonly counts: ReadonlyMap<string, readonly number[]>;
}

/** What the rows of one evaluation used; null where no trial says. */
export type UsageSamples = { readonly [Measure in UsageMeasure]: RowSample | null } & {
  /** Only where costs are wanted. */
  readonly cost?: RowSample | null;
  /** By what steps count; only where a trial of the plan has some. */
  readonly steps?: ReadonlyMap<string, RowSample>;
};

/** Counts of trials; map keys come from `seriesKey`, with path key 0 for a whole evaluation. */
export interface OutcomeCounts {
  readonly errored: ReadonlyMap<string, number>;
  /** Trials in error that have a score nevertheless. */
  readonly scoredErrors: ReadonlyMap<string, number>;
  /** Trials with an explicit null in the dimension; `erroredNulls` counts those in error. */
  readonly nulls: ReadonlyMap<string, number>;
  readonly erroredNulls: ReadonlyMap<string, number>;
}

/** Count and sum of the score values of one kind (0 number, 1 boolean, 2 text) in one series. */
export interface ScoreSum extends SeriesPlace {
  readonly kind: number;
  readonly count: number;
  readonly total: number;
  /** Whether they are numbers, all of them 0 or 1; known where a comparison or row statistics are asked for. */
  readonly zeroOne?: boolean;
  /** Trials without a value among `count`; only where the request lets some count. */
  readonly counted?: CountedTrials;
}

/** A stored trial. */
export interface TrialRecord {
  readonly rowKey: Key;
  readonly trialKey: Key;
  readonly evaluationKey: number;
  /** Stands for what this trial was asked, on a row with a key; else null. */
  readonly contentKey: Key | null;
  /** Microseconds since 1970. */
  readonly startedAt: bigint;
  readonly id: string;
  /** `output`, `scorerCallIds` and `lateScores` are compact JSON texts. */
  readonly output: string | null;
  readonly scorerCallIds: string | null;
  readonly lateScores: string | null;
  /** Latency and tokens of the predict call, or of the trial's own call where children are left out. */
  readonly latencySeconds: number | null;
  readonly totalTokens: number | null;
  readonly predictCallId: string | null;
  /** JSON text of a list of the spans that it names. */
  readonly spanRefs: string | null;
  readonly referencePrefix: string | null;
  readonly example: string | null;
}

/** Sums of n integers and of their squares; an integer x stands for the value x · 2^-shift / unit. */
export interface ExactMoments {
  readonly n: number;
  readonly sum: bigint;
  readonly squares: bigint;
  readonly unit: bigint;
  readonly shift: number;
}

/** Sums over the clusters of `size` rows; the words of a cluster add up to s. */
export interface ClusterWords {
  readonly size: number;
  readonly count: number;
  /** Σs and Σs². */
  readonly sum: bigint;
  readonly squares: bigint;
}

/** The row values of a series in clusters, in words of this shift. */
interface ClusteredRows {
  readonly clusters: readonly ClusterWords[];
  readonly shift: number;
}

/** Counts the rows with `trials` trials whose values add up to `total` and whose least value is `least`. */
export interface RowTally {
  readonly trials: number;
  readonly total: number;
  readonly least: number;
  readonly rows: number;
}

/** The row values of one series; the value of a row is the mean of its trials. */
export interface RowSample {
  readonly moments: ExactMoments;
  /** Whether the value of every trial is 0 or 1. */
  readonly zeroOne: boolean;
  /** Whether every row has one trial. */
  readonly single: boolean;
  /** The same values in clusters; absent where rows are independent. */
  readonly clusters?: ClusteredRows;
  readonly min: number;
  readonly max: number;
  /** Percentiles in the order of `PERCENTILES`. */
  readonly percentiles: readonly number[];
  /** Ascending by trials, then total; null unless the values of all trials are -1, 0 or 1. */
  readonly tallies: readonly RowTally[] | null;
}

/** Moments of row means in one evaluation: of labels (a) with the judge (b), and of the judge on unlabelled rows. */
export interface LabelMoments {
  readonly evaluationKey: number;
  /** Powers of two that the deviations of `a` and of `b` are multiplied by, so that no square overflows. */
  readonly unitA: number;
  readonly unitB: number;
  /** Whether every label of a trial is 0 or 1. */
  readonly zeroOne: boolean;
  /**
   * `a` and `b` are means, null where n is 0; `aa`, `bb` and `ab` are sums of products of the scaled deviations from
   * them.
   */
  readonly labelled: {
    readonly n: number;
    readonly a: number | null;
    readonly b: number | null;
    readonly aa: number;
    readonly bb: number;
    readonly ab: number;
  };
  readonly unlabelled: { readonly n: number; readonly b: number | null; readonly bb: number };
}

/** Moments of differences of row means between a candidate, whose key the moments have, and the baseline. */
export interface DifferenceMoments {
  /** Here `a`, `b` and their kind are differences; the labels themselves are 0 or 1 where `zeroOne` is set. */
  readonly moments: LabelMoments;
  /** The largest |label| of a row on either side; null without labelled rows. */
  readonly size: number | null;
  /** Means of the baseline: of labels and of the judge on labelled rows, and of the judge (c) on the others. */
  readonly baseline: { readonly a: number | null; readonly b: number | null; readonly c: number | null };
}

/** The percentiles of row values in a summary, in hundredths. */
export const PERCENTILES = [50, 90, 99] as const;
