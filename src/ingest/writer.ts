import type { Writing } from "../store/session.ts";
import type { LoadCounts } from "./counts.ts";
import type { RecordOutcome } from "./merge/call-batch.ts";
import type { ParsedCall } from "./record/call-record.ts";
import type { ParsedRow } from "./record/dataset-row-record.ts";

/** What a load stores, of either kind. */
export type StorableRecord = ParsedCall | ParsedRow;

/** Stores records in one transaction. Every database has a writer of its own; what records mean is decided above it. */
export interface Writer {
  /** Stores a batch and counts each call for its owner; returns what each record did, in the same order. */
  readonly write: (
    batch: readonly StorableRecord[],
    owners: readonly LoadCounts[],
  ) => Promise<readonly RecordOutcome[]>;
  /** Ends a batch, and waits where too many are yet to be written. */
  readonly endBatch: () => Promise<void>;
  /** Called before the second batch: the load is a large one. */
  readonly becomesLarge: () => Promise<void>;
  /** Runs after the last batch: everything is written when it resolves. */
  readonly finish: () => Promise<void>;
  /** Gives up what has not begun, and waits for what has. Runs after `finish`, too. */
  readonly stop: () => Promise<void>;
  /** Whether the call of this identity is the root of an evaluation, or would be. */
  readonly isEvaluation: (identity: string) => boolean;
}

/** One writer at a time. */
export interface Writers extends Writing<Writer> {
  /** Called after a transaction that was not committed, before the next one begins. */
  readonly rolledBack: () => void;
}

export function isCall(record: StorableRecord | undefined): record is ParsedCall {
  return record !== undefined && !("digest" in record);
}
