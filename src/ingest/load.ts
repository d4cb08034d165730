import type { CallCounts } from "./counts.ts";
import type { EpochUnit } from "./record/call-times.ts";

/** How far a load has come. */
export interface IngestProgress {
  /** Records read so far. */
  readonly records: number;
  /** Bytes read so far. */
  readonly bytes: number;
  /** Size of the source in bytes; null where it is not known beforehand. */
  readonly totalBytes: number | null;
}

/** Who sends records, and what of them is stored. */
export interface Sender {
  /** The project of the records: one that names none gets it, and one of another project is refused. */
  readonly projectId: string;
  /** Stored as `wb_user_id` of each call, whatever the record says of it. A call keeps the one that it has. */
  readonly user: string;
  /** Whether records may hide calls (`deleted_at`); else such records are refused. */
  readonly mayDelete: boolean;
}

/** Options of a load. */
export interface IngestOptions {
  /**
   * `fail` (default): when a record is refused, nothing of the source is stored. `skip`: the valid records are stored.
   */
  readonly onInvalid?: "fail" | "skip" | undefined;
  /** Stops the load; nothing of the source that is under way is stored. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether records of calls are parts of them, as a tracing tool sends them; default false. A record with `op_name`
   * and `ended_at` is a whole call, with `op_name` alone its start, with `ended_at` alone its end; one with neither has
   * a `display_name` that renames the call, or takes its name away where it is empty. Parts may come in any order and
   * more than once: a start adds nothing to a call that has one, of two ends the later `ended_at` stands with all its
   * members, and a renaming stands over the names of starts and ends. A call without a start is in no answer.
   */
  readonly partial?: boolean | undefined;
  /** Who sends the records, where not everything of them is to be believed. */
  readonly sender?: Sender | undefined;
  /** Who stores roots of calls that name nobody, and hides calls. Default: the user of the engine. */
  readonly user?: string | undefined;
  /** Called for each part of a source that was read. */
  readonly onProgress?: ((progress: IngestProgress) => void) | undefined;
}

/** A record that was not stored, and why. */
export interface RejectedRecord {
  /** Name of the source. */
  readonly source: string;
  /** Line or item, from 1. */
  readonly position: number;
  /** Where in the record; empty where the record as a whole is refused. */
  readonly path: readonly (string | number)[];
  /** What is wrong with it. */
  readonly reason: string;
}

/** What a load did. */
export interface IngestResult extends CallCounts {
  /** Records read. */
  readonly received: number;
  /** Records that added or changed something. */
  readonly stored: number;
  /** Records that changed nothing. */
  readonly unchanged: number;
  /** Records that were refused; empty unless `onInvalid` is `skip`. */
  readonly rejected: readonly RejectedRecord[];
  /** Members that a call or row does not have, and how many records have them. They are kept with the record. */
  readonly unknown_members: Readonly<Record<string, number>>;
  /**
   * How many records have times that are whole numbers, by what they were read as: seconds, milliseconds or
   * microseconds since 1970.
   */
  readonly epoch_times: Readonly<Partial<Record<EpochUnit, number>>>;
}
