import type { RecordBatch, Table } from "apache-arrow";
import type { Feedback } from "../feedback/feedback.ts";
import type { UsageLog } from "../inference/usage/usage.ts";
import type { DatabaseInfo, InfoOptions } from "./database-info.ts";
import type { Maintenance } from "./maintenance.ts";
import type { Logging } from "../logging/api.ts";
import type { EvalResultsRequest } from "../request/eval-results-request.ts";
import type { EvalResultsResponse } from "../respond/query/response.ts";
import type { TableOf } from "./table-of.ts";
import type { Training } from "../training/training.ts";
import type { Weave } from "../weave/weave.ts";
import type { IngestOptions } from "../ingest/load.ts";
import type { DeleteRequest } from "../request/delete-request.ts";
import type { EvaluationEntry, ProjectEntry } from "./catalog/list-evaluations.ts";
import type { CheckResult } from "../store/check-result.ts";
import type { ExportOptions } from "./export/export-results.ts";
import type { Explanation } from "./query/explain.ts";
import type { Comparing } from "./comparing.ts";
import type { EvaluationDeletion, Loading } from "./loading.ts";
import type { QueryOptions } from "./query/query.ts";
import type { SqlExport, SqlExportOptions } from "./export/export-sql.ts";
import type { SqlOptions, StatementParameters } from "../store/statements.ts";
import type { ColumnsPart } from "./table/columns.ts";
import type { TableOptions } from "./table/table.ts";

/**
 * One open database. Close it when done.
 *
 * Projects are named `entity/project`. Every error raised on purpose is an `EvalcubeError` with a `code`:
 * - `RequestError`: the request is at fault; it has the `path` of the first of its `issues`. Code `invalid_request`
 *   (wrong shape) or `unsupported_request` (well-formed, but without an answer).
 * - `IngestError`: a record was refused; it has the `source`, `position` and `path`. Code `invalid_record`.
 * - `ImportError`: a log or table was not imported; it has the `source`, `place` and `reason`, `refused` and `results`.
 *   Codes `unrecognised`, `invalid`, `unsupported_version`, `truncated`, `no_samples`, `ambiguous_mapping`,
 *   `check_failed`.
 * - `StoreError`: the database, or DuckDB. Codes `closed`, `read_only`, `storage_full`, `damaged_database`,
 *   `database_stopped`, `file_lost`, `query_failed`.
 * - `EvaluationFailed`: `evaluate` ended at `failOnError`. Code `evaluation_failed`.
 * - `EvalcubeError`: everything else, such as `invalid_option` for an option of a wrong name or type.
 *
 * An `AbortSignal` in the options stops the work; the promise then rejects with the reason of the signal. The functions
 * need no `this`, so they can be passed on by themselves.
 */
export interface Engine extends Logging, Loading, Comparing, AsyncDisposable {
  // Log: `startEvaluation`, `evaluate`, `logScore`. Load: `ingestCalls` and what stands beside it.

  // Query

  /**
   * Rows, trials and summary of evaluations as plain objects. Latencies are in seconds, times are ISO 8601 in UTC, and
   * integers beyond 2^53 are `bigint`. With `include_summary: true` in the type of the request the summary is not null,
   * and with `include_uncertainty: true` its statistics have what that adds. Rejects with `RequestError`.
   */
  readonly queryEvalResults: <
    WithSummary extends boolean | undefined = boolean | undefined,
    WithUncertainty extends boolean | null | undefined = boolean | null | undefined,
  >(
    projectId: string,
    request: EvalResultsRequest<WithSummary, WithUncertainty>,
    options?: QueryOptions,
  ) => Promise<EvalResultsResponse<WithSummary, WithUncertainty>>;

  /**
   * The same response as JSON text, with every digit as it was stored. The request may be parsed JSON from anywhere.
   */
  readonly queryEvalResultsJson: (
    projectId: string,
    request: unknown,
    options?: QueryOptions,
  ) => Promise<string>;

  /**
   * That text in pieces, made as they are read. A faulty request rejects before the first piece. Leaving the loop early
   * interrupts the query; `close` makes the next step reject with `closed`.
   */
  readonly streamEvalResults: (
    projectId: string,
    request: unknown,
    options?: QueryOptions,
  ) => AsyncGenerator<string, void, undefined>;

  /**
   * Runs a request, and tells its plan and each of its statements, by name and with the bound values; of a page only
   * what its first piece asks. Rejects with `RequestError`.
   */
  readonly explain: (projectId: string, request: EvalResultsRequest) => Promise<Explanation>;

  /** The projects, `entity/project`, that calls or rows were loaded into, by name. */
  readonly listProjects: () => Promise<string[]>;

  /** The evaluations of a project by start, those without a root call last; none for an unknown project. */
  readonly listEvaluations: (projectId: string, options?: QueryOptions) => Promise<EvaluationEntry[]>;

  /** The projects of `listProjects`, each with the number of evaluations that `listEvaluations` gives. */
  readonly countEvaluations: (options?: QueryOptions) => Promise<ProjectEntry[]>;

  // Delete: also `deleteCalls`.

  /**
   * Hides evaluations for good: those with these `ids`, or those that began longer ago than `older_than`, but for
   * baselines and runs with feedback (`all` takes them too), and for the `keep_latest` of each name beside these.
   * `dry_run` only tells. Unlike `deleteCalls`, an id of no evaluation changes nothing. Rejects with `RequestError`.
   */
  readonly deleteEvaluations: (
    projectId: string,
    request: DeleteRequest,
    options?: QueryOptions & Pick<IngestOptions, "user">,
  ) => Promise<EvaluationDeletion>;

  // Tables

  /**
   * The trials of the selected rows as one apache-arrow table in memory, one record each, in response order: the
   * columns of rows and trials, and one for each score dimension. Rejects with `RequestError`.
   *
   * Take functions such as `tableToIPC` from `evalcube/arrow`. apache-arrow has an ES and a CommonJS build with
   * different classes, and `require("apache-arrow").tableToIPC(table)` throws.
   *
   * `Row` says what a record is read as: `table.toArray()` has a view of each record, whose `toJSON()` is a plain
   * object. Integers of 64 bits are read as `bigint`, times as milliseconds since 1970. Nothing checks that the records
   * fit.
   */
  readonly queryTable: {
    (projectId: string, request: EvalResultsRequest, options?: TableOptions): Promise<Table>;
    <Row extends object>(
      projectId: string,
      request: EvalResultsRequest,
      options?: TableOptions,
    ): Promise<TableOf<Row>>;
  };

  /**
   * That table in record batches of about 32 MiB, made as they are read, so that memory stays bounded. The first batch
   * is empty where there is no trial. Leaving the loop early interrupts the query.
   */
  readonly queryBatches: (
    projectId: string,
    request: EvalResultsRequest,
    options?: TableOptions,
  ) => AsyncGenerator<RecordBatch, void, undefined>;

  /**
   * The rows, trials and score values of a request as narrow tables of one state of the database, which is faster than
   * one wide table where outputs are not wanted, and tells null from what is not there. First comes a head, then record
   * batches of `rows`, `trials`, `scores`, `texts` and `outputs`, made as they are read; `include_outputs: false`
   * leaves outputs out. Trials are known by `row_order`, `evaluation` and `trial_index`; all but `scores` come in
   * response order. Latencies are in seconds.
   */
  readonly queryColumns: (
    projectId: string,
    request: EvalResultsRequest,
    options?: TableOptions,
  ) => AsyncGenerator<ColumnsPart, void, undefined>;

  /**
   * Writes the table of `queryTable` to a file or a stream in bounded memory; resolves to the number of trials. A file
   * appears when it is complete, and replaces one of its name; a failed or aborted export leaves nothing. Rejects with
   * `RequestError`, and with `unwritable_target` where the file or stream cannot be written.
   */
  readonly exportResults: (
    projectId: string,
    request: EvalResultsRequest,
    target: ExportOptions,
  ) => Promise<{ readonly trials: number }>;

  // SQL

  /**
   * Runs one SELECT over the views of a project; resolves to an apache-arrow table of `Row` (see `queryTable`). Values
   * of `?` and `$1` come as an array, of `$name` as an object. It reads nothing else and changes nothing. Rejects with
   * `RequestError` on a statement that is not allowed or fails, and with `time_limit`, `memory_limit`,
   * `result_too_large`, `unsupported_type` or `statement_failed`.
   */
  readonly sql: {
    (
      projectId: string,
      statement: string,
      parameters?: StatementParameters,
      options?: SqlOptions,
    ): Promise<Table>;
    <Row extends object>(
      projectId: string,
      statement: string,
      parameters?: StatementParameters,
      options?: SqlOptions,
    ): Promise<TableOf<Row>>;
  };

  /** The same result in record batches, made as they are read. The time limit ends with the last batch. */
  readonly sqlBatches: (
    projectId: string,
    statement: string,
    parameters?: StatementParameters,
    options?: SqlOptions,
  ) => AsyncGenerator<RecordBatch, void, undefined>;

  /**
   * Writes that result to a file or a stream, as `exportResults` does; resolves to the number of records and to the
   * columns.
   */
  readonly exportSql: (
    projectId: string,
    statement: string,
    parameters: StatementParameters,
    target: SqlExportOptions,
  ) => Promise<SqlExport>;

  // Compare and agree: `compareEvaluations` and what stands beside it.

  // Records

  /** Feedback on calls, ops and objects, kept in the same database. */
  readonly feedback: Feedback;

  /** Training jobs with their events, models and checkpoints, kept in the same database. */
  readonly training: Training;

  /** What SDKs of W&B Weave ask of their server; for a server of your own. `createHttpHandler` has it at its paths. */
  readonly weave: Weave;

  /** Counts of inference: one record for each completion that the HTTP service passed on. */
  readonly usage: UsageLog;

  // Check and back up

  /** Tells how large the database is, what takes the space, and when it was written last. */
  readonly info: (options?: InfoOptions) => Promise<DatabaseInfo>;

  /**
   * Reads every record and compares counts and references between tables; changes nothing. Blocks that DuckDB holds in
   * memory are not read from the disk again.
   */
  readonly check: (options?: QueryOptions) => Promise<CheckResult>;

  /**
   * Copies what is committed to a path where there is no file, while others read and write; complete or not at all.
   * Rejects with `unwritable_target`, with `no_file` for a database in memory, and with `not_copied` where part of it
   * is in a log that cannot be written into it now.
   */
  readonly backup: (path: string) => Promise<void>;

  /**
   * Deletes superseded records on a ClickHouse server: what writers left that ended in the middle of a load, and what
   * later loads replaced an hour ago. Every writer does so once a minute; a file needs none of it. Rejects with
   * `StoreError` `read_only` where the database is open for reading.
   */
  readonly maintain: () => Promise<Maintenance>;

  // Close
  /**
   * Ends questions, loads and other writes that are under way or wait: they reject with `StoreError` `interrupted`, and
   * of a write nothing is stored. What begins later is not touched. A `close` from then on leaves the log beside the
   * file instead of writing it into the database, so it takes little time.
   */
  readonly interrupt: () => void;

  /**
   * Stores what was logged and handed to loads before, predictions under way as they stand, and closes the database.
   * Rejects with the number of trials that are not stored where no promise told of them. Queries and exports under way
   * are waited for; generators that wait for their reader end, and their next step rejects; an `evaluate` that runs is
   * not waited for, and rejects. From then on everything rejects with `closed`.
   */
  readonly close: () => Promise<void>;
}
