import type { Conventions } from "../model/conventions.ts";
import type { Json } from "../model/json.ts";
import type { CallRecord } from "../ingest/record/sent-records.ts";

/** A trial that an evaluation has already. */
export interface EarlierTrial {
  readonly id: string;
  /** The digest of its row. */
  readonly digest: string;
  /** `attributes.trial_index`; null where it has none. */
  readonly number: number | null;
  /** Microseconds since 1970. */
  readonly startedAt: number;
  /** Whether it counts as a trial in error. */
  readonly errored: boolean;
  readonly ended: boolean;
}

/** The root call of an evaluation, as far as it is stored. */
interface StoredRoot {
  /** Microseconds since 1970; null while the root is not stored. */
  readonly startedAt: bigint | null;
  readonly failed: boolean;
  /** Ids of the calls below trials that ended in an exception. */
  readonly failedCalls: readonly string[];
}

/** A trial, for whoever adds a score to it. */
interface ScoredTrial {
  readonly evaluationId: string;
  /** Whether it has a value, or a null, under this key. */
  readonly hasScore: boolean;
  /** Whether a call of the id that the score call is to have is stored. */
  readonly hasCall: boolean;
  /** `output` of the output of its call; null where there is none. */
  readonly output: Json;
}

/** What the logger needs of an engine. Any place that takes call records and says when they are durable would do. */
export interface CallStore {
  readonly conventions: Conventions;
  /** Resolves when the records are durable, all of them; rejects when none is. */
  readonly write: (records: readonly CallRecord[]) => Promise<unknown>;
  /** Passes the trials of an evaluation to `each` in parts; null where there is neither a root nor a trial. */
  readonly readEvaluation: (
    projectId: string,
    evaluationId: string,
    each: (trials: readonly EarlierTrial[]) => Promise<void>,
  ) => Promise<StoredRoot | null>;
  /** Null where there is no such trial. */
  readonly readTrial: (
    projectId: string,
    trialId: string,
    scorer: string,
    callId: string,
  ) => Promise<ScoredTrial | null>;
}
