import type { ImportResult } from "../import/translate/import-result.ts";
import type { RecordBatchLike } from "../ingest/formats/arrow-shapes.ts";
import type { RecordKind } from "../ingest/formats/record-kind.ts";
import type { IngestOptions, IngestResult } from "../ingest/load.ts";
import type { CallRecord, DatasetRowRecord } from "../ingest/record/sent-records.ts";
import type { EvaluationEntry } from "./catalog/list-evaluations.ts";
import type { ImportOptions } from "./import/import-options.ts";
import type { ImportSource } from "../import/sources/recognised-sources.ts";
import type { IngestSource } from "../ingest/sources/open-sources.ts";

/** Options of `ingestFile`. */
export interface FileIngestOptions extends IngestOptions {
  /** What the records are. Default: what the first record looks like. */
  readonly kind?: RecordKind | undefined;
  /**
   * Stores the source in batches of at most so many bytes, or of one longer record, each as a whole, instead of as one;
   * what was stored before a fault stays.
   */
  readonly batchBytes?: number | undefined;
}

/** What `ingestFile` did. */
export interface FileIngestResult extends IngestResult {
  /** What the records were taken for. */
  readonly kind: RecordKind;
}

/** What `deleteCalls` did. */
export interface Deletion {
  /** Stored calls that are hidden now and were not before, descendants included. */
  readonly hidden: number;
}

/** What `deleteEvaluations` did, or would do. */
export interface EvaluationDeletion {
  /** Whether it only tells what would go. */
  readonly dry_run: boolean;
  /** Stored calls that are hidden now and were not before. */
  readonly hidden: number;
  /** The evaluations that go, by start. */
  readonly evaluations: readonly Pick<
    EvaluationEntry,
    "id" | "display_name" | "started_at" | "trial_count" | "user"
  >[];
  /** Those that are old enough and stay: baselines, runs with feedback, and the latest of their name. */
  readonly kept: readonly { readonly id: string; readonly reason: "baseline" | "feedback" | "latest" }[];
}

/**
 * A record, with whatever other members; or record batches and bytes of Arrow. An item without a type, `unknown` or
 * `object`, is checked when it is loaded.
 */
export type Sent<Item, Kind> = object extends Item
  ? Item
  : Item extends RecordBatchLike | Uint8Array
    ? Item
    : Item & Kind;

/** The members of an engine that load and delete calls and dataset rows. */
export interface Loading {
  /**
   * Loads calls, each source as a whole or not at all; resolves when they are durable. Small arrays that are loaded at
   * the same time share a transaction. Calls merge by id in any order, and loading one twice changes nothing. Rejects
   * with `IngestError` at the first refused record unless `onInvalid` is `skip`, and with `invalid_source`,
   * `no_source`, `unreadable_file` or `invalid_schema` where the source cannot be read.
   */
  readonly ingestCalls: <Item = CallRecord>(
    source: IngestSource<Sent<Item, CallRecord>>,
    options?: IngestOptions,
  ) => Promise<IngestResult>;

  /**
   * Loads dataset rows `{ project_id, digest?, val }`. Of two rows with one digest the later wins.
   * Rejects as `ingestCalls` does.
   */
  readonly ingestRows: <Item = DatasetRowRecord>(
    source: IngestSource<Sent<Item, DatasetRowRecord>>,
    options?: IngestOptions,
  ) => Promise<IngestResult>;

  /**
   * Loads calls or dataset rows from one source, whichever its first record is. Rejects as `ingestCalls` does, and with
   * `invalid_source` where the argument stands for none or several sources.
   */
  readonly ingestFile: <Item = CallRecord | DatasetRowRecord>(
    source: IngestSource<Sent<Item, CallRecord | DatasetRowRecord>>,
    options?: FileIngestOptions,
  ) => Promise<FileIngestResult>;

  /**
   * Imports logs of evaluation tools, and tables: each becomes evaluations, trials and dataset rows of a project. A log
   * that is imported again changes nothing, one that went on adds what is new. Each source is stored as a whole or not
   * at all; rejects with `ImportError`, and with `no_source` or `invalid_source` where nothing can be read.
   */
  readonly importEvaluations: (source: ImportSource, options: ImportOptions) => Promise<ImportResult[]>;

  /**
   * Hides the calls with these ids and all their descendants for good, also those that arrive later. An id that is not
   * stored is kept for its call. Resolves to how many stored calls it hid: descendants count, calls that were hidden
   * before and ids that are not stored do not.
   */
  readonly deleteCalls: (
    projectId: string,
    ids: readonly string[],
    options?: IngestOptions,
  ) => Promise<Deletion>;
}
