/* What the statements of a request find, as data. */

/** What SQL counted and summed. */
export interface ScoreSums {
  readonly rowCount: number;
  readonly trialCounts: ReadonlyMap<number, number>;
  readonly sums: readonly ScoreSum[];
  /** null where the request asks for none. */
  readonly rowStatistics: RowStatistics | null;
}

/** By {@link placeOf}. */
export interface RowStatistics {
  readonly samples: ReadonlyMap<string, RowSample>;
  readonly bootstraps: ReadonlyMap<string, RowBootstrap>;
  /** null without `include_uncertainty`. */
  readonly outcomes: OutcomeCounts | null;
  readonly passK: readonly number[];
}

/** Trials by evaluation (path key 0), and by evaluation and place. */
export interface OutcomeCounts {
  readonly errored: ReadonlyMap<string, number>;
  /** Those in error that have a score all the same. */
  readonly scoredErrors: ReadonlyMap<string, number>;
  /** Those that have null exactly there, and those of them in error. */
  readonly nulls: ReadonlyMap<string, number>;
  readonly erroredNulls: ReadonlyMap<string, number>;
}

interface Place {
  readonly evaluationKey: number;
  readonly pathKey: number;
}

/** A name for a place of an evaluation. */
export function placeOf({ evaluationKey, pathKey }: Place): string {
  return `${evaluationKey}:${pathKey}`;
}

/** One kind of leaf (0 number, 1 boolean, 2 text) at one place of one evaluation. */
export interface ScoreSum {
  readonly evaluationKey: number;
  readonly pathKey: number;
  readonly kind: number;
  readonly count: number;
  readonly total: number;
}

/** A trial as it is stored. */
export interface TrialRecord {
  readonly rowKey: number;
  readonly trialKey: number;
  readonly evaluationKey: number;
  /** Microseconds since 1970. */
  readonly startedAt: bigint;
  readonly id: string;
  /** JSON texts, all of them compact. */
  readonly output: string | null;
  readonly scorerCallIds: string | null;
  readonly lateScores: string | null;
  /** Of the predict call, or of the trial's own call where children are left out. */
  readonly latencySeconds: number | null;
  readonly totalTokens: number | null;
  readonly predictCallId: string | null;
  readonly referencePrefix: string | null;
  readonly example: string | null;
}

/** Sums of n whole numbers, each standing for itself times 2^-shift / unit. */
export interface ExactMoments {
  readonly n: number;
  readonly sum: bigint;
  readonly squares: bigint;
  readonly unit: bigint;
  readonly shift: number;
}

/** So many rows have `trials` trials that add up to `total`, the least of them being `least`. */
export interface RowTally {
  readonly trials: number;
  readonly total: number;
  readonly least: number;
  readonly rows: number;
}

/** The rows' values at one place of one evaluation; a row's value is the mean of its trials. */
export interface RowSample {
  readonly moments: ExactMoments;
  /** Every trial is 0 or 1. */
  readonly zeroOne: boolean;
  /** Every row has one trial. */
  readonly single: boolean;
  readonly min: number;
  readonly max: number;
  /** In the order of `PERCENTILES`. */
  readonly percentiles: readonly number[];
  /** Where trials are -1, 0 or 1: ascending by trials, then total. */
  readonly tallies: readonly RowTally[] | null;
  /** Ascending; null where they are not known one by one. */
  readonly values: readonly number[] | null;
}

/** The interval of a mean over resampled rows, and how it was done. */
export interface RowBootstrap {
  readonly bootstrap_confidence_interval: readonly [low: number, high: number];
  readonly bootstrap: {
    readonly method: "bca";
    readonly unit: "row";
    readonly resamples: number;
    readonly seed: number;
  };
}

/** Moments of the means of rows in one evaluation: of labels (a) beside a judge (b), and of the judge alone. */
export interface LabelMoments {
  readonly evaluationKey: number;
  /** Means are null of none; `aa`, `bb`, `ab`: products of deviations from them. */
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
