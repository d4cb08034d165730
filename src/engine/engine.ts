import { EvalcubeError } from "../errors.ts";
import type { Conventions } from "../ingest/record/call.ts";
import { loadCalls, loadDatasetRows, type IngestOptions, type IngestResult } from "../ingest/load.ts";
import { recognizeKind, type RecordKind } from "../ingest/formats/record-kind.ts";
import { objectSource, type RecordSource } from "../ingest/formats/record-source.ts";
import { createWriterMemory } from "../ingest/writer-memory.ts";
import { parseJson } from "../model/json.ts";
import { compareEvaluations } from "./compare/compare.ts";
import type { CompareRequest } from "../request/compare-request.ts";
import type { AgreementRequest } from "../request/agreement-request.ts";
import type { EvalResultsRequest } from "../request/wire.ts";
import type { EvalResultsResponse } from "../respond/query/response.ts";
import type { Store } from "../store/session.ts";
import { backUp } from "./backup.ts";
import { checkDatabase } from "./check/check-database.ts";
import { createAnswerCache } from "./query/answer-cache.ts";
import { checkEngineOptions } from "./engine-options.ts";
import { measureAgreement } from "./agreement/agreement.ts";
import { settleConventions } from "./catalog/conventions.ts";
import { checkDeletion, checkFileIngest, checkIngest } from "./ingest-checks.ts";
import { checkOptions, checkQuery, SIGNAL_RULE } from "./flow/check-options.ts";
import { exportResults, type ExportOptions } from "./export/export-results.ts";
import { listEvaluations } from "./catalog/list-evaluations.ts";
import { createCatalogCache } from "./catalog/read-catalog.ts";
import { generatePieces } from "./flow/pieces.ts";
import { explainQuery, queryEvalResults, type QueryOptions } from "./query/query.ts";
import type { StoreWarning } from "./duckdb/file/store-options.ts";
import { openStore } from "./duckdb/store.ts";
import type { StatementParameters } from "./sql/bind-parameters.ts";
import { exportSql, type SqlExportOptions } from "./sql/export-sql.ts";
import { querySql, querySqlTable, type SqlOptions } from "./sql/query-sql.ts";
import { queryTrialTable, readTrialBatches, type TableOptions } from "./table/table.ts";
import { openSources, type IngestSource } from "./sources/open-sources.ts";

export interface EngineOptions {
  /** A DuckDB file of ours, made when it is not there, or `:memory:` (default). */
  readonly path?: string;
  readonly readOnly?: boolean;
  /** Worker threads of DuckDB; default: one a core. */
  readonly threads?: number;
  /**
   * DuckDB's memory limit, for example `4GiB`. Default: `1GiB` for a file, beyond which it spills to disk;
   * for `:memory:`, which must hold the data, 80 % of the machine.
   */
  readonly memoryLimit?: string;
  /**
   * Op names of predict-and-score calls; default `Evaluation.predict_and_score`, `Evaluation.predictAndScore`.
   * Settled when the database is made, as is the next.
   */
  readonly predictAndScoreOps?: readonly string[];
  /** Members of a call's `attributes` that mark score calls; default `svc`, `weave`. */
  readonly attributeNamespaces?: readonly string[];
  /** Whether an answer of up to 256 Ki characters is kept until the next write, for whoever asks the same again; default true. */
  readonly keepAnswers?: boolean;
  /**
   * Told of what went wrong without harm: a log that a power cut left in part and that was cut (`log_cut`), a log that
   * could not be written into the database and stays beside it (`checkpoint_failed`).
   */
  readonly onWarning?: (warning: StoreWarning) => void;
}

/** Opens the core engine; `store` is for what else is kept in the same database. */
export async function openCore(options: EngineOptions = {}) {
  checkEngineOptions(options);
  const path = options.path ?? ":memory:";
  const store = await openStore({
    path,
    readOnly: options.readOnly ?? false,
    threads: options.threads ?? null,
    memoryLimit: options.memoryLimit ?? (path === ":memory:" ? null : "1GiB"),
    ...(options.onWarning === undefined ? {} : { onWarning: options.onWarning }),
  });
  const conventions = await settled(store, path, options);
  const memory = createWriterMemory();
  const context = {
    store,
    conventions,
    catalogs: createCatalogCache(),
    answers: options.keepAnswers === false ? null : createAnswerCache(),
  };
  const each = async (source: IngestSource, load: (one: RecordSource) => Promise<IngestResult>) => {
    let total = NOTHING;
    for (const one of await openSources(store, source)) total = addResults(total, await load(one));
    return total;
  };
  const streamEvalResults = async function* (projectId: string, request: unknown, query: QueryOptions = {}) {
    checkQuery(projectId, query);
    yield* generatePieces<string>(
      (write, signal) => queryEvalResults(context, projectId, request, write, signal),
      store.closing,
      query.signal,
    );
  };
  const queryEvalResultsJson = async (
    projectId: string,
    request: unknown,
    query: QueryOptions = {},
  ): Promise<string> => {
    checkQuery(projectId, query);
    const pieces: string[] = [];
    await queryEvalResults(context, projectId, request, (piece) => void pieces.push(piece), query.signal);
    return pieces.join("");
  };
  return {
    store,
    /**
     * Loads call records, each source in a transaction of its own; resolves when they are durable. Throws
     * `IngestError` (source, position, path, reason) on a refused record unless `onInvalid` is `skip`.
     */
    ingestCalls: async (source: IngestSource, ingest: IngestOptions = {}) => {
      checkIngest(ingest);
      return each(source, (one) => loadCalls(store, conventions, memory, one, ingest));
    },
    /** Loads dataset rows `{ project_id, digest?, val }`; of two with one digest the later wins. */
    ingestRows: async (source: IngestSource, ingest: IngestOptions = {}) => {
      checkIngest(ingest);
      return each(source, (one) => loadDatasetRows(store, memory, one, ingest));
    },
    /** Loads calls or dataset rows, whichever the first record is, unless `kind` says so. */
    ingestFile: async (source: IngestSource, ingest: IngestOptions & { readonly kind?: RecordKind } = {}) => {
      checkFileIngest(ingest);
      const opened = await openSources(store, source);
      const [first] = opened;
      if (first === undefined || opened.length > 1)
        throw new EvalcubeError("invalid_source", "ingestFile takes one source");
      const load = async (kind: RecordKind, one: RecordSource) => ({
        kind,
        ...(kind === "rows"
          ? await loadDatasetRows(store, memory, one, ingest)
          : await loadCalls(store, conventions, memory, one, ingest)),
      });
      if (ingest.kind !== undefined) return await load(ingest.kind, first);
      const { kind, source: one, close } = await recognizeKind(first);
      try {
        return await load(kind, one);
      } finally {
        await close();
      }
    },
    /** Hides calls and all their descendants, also those that arrive later. */
    deleteCalls: async (projectId: string, ids: readonly string[], ingest: IngestOptions = {}) => {
      checkDeletion(projectId, ids, ingest);
      const deleted_at = new Date();
      const records = ids.map((id) => ({ project_id: projectId, id, deleted_at }));
      return await loadCalls(store, conventions, memory, objectSource(records, "deletions"), ingest);
    },
    /** The response as JSON text, every stored digit as it was. Throws `RequestError` with path and issues. */
    queryEvalResultsJson,
    /**
     * The bytes of `queryEvalResultsJson` in pieces, made as they are read. What is wrong with the request is
     * thrown before the first piece; leaving early interrupts the query, and so does `close`.
     */
    streamEvalResults,
    /** The response as plain objects; integers beyond 2^53 are `bigint`. */
    queryEvalResults: async (projectId: string, request: EvalResultsRequest, query: QueryOptions = {}) => {
      const text = await queryEvalResultsJson(projectId, request, query);
      await store.turns.take();
      const response: unknown = parseJson(text);
      return response as EvalResultsResponse;
    },
    /**
     * How far two score dimensions agree, trial by trial: kappa, alpha, correlations, a confusion matrix, and
     * the mean of `a` as `b` and some values of `a` tell it. Throws `RequestError` where they have nothing in common.
     */
    agreement: (projectId: string, request: AgreementRequest, query: QueryOptions = {}) =>
      measureAgreement(context, projectId, request, query),
    /**
     * One record a trial of the selected rows, in response order, as an apache-arrow table: the columns of the
     * response's rows and trials, and one a score dimension (README, "Tables"). Throws as `queryEvalResults`.
     */
    queryTable: (projectId: string, request: EvalResultsRequest, table: TableOptions = {}) =>
      queryTrialTable(context, projectId, request, table),
    /** The same in record batches, made as they are read: memory stays bounded. Leaving early interrupts the query. */
    queryBatches: (projectId: string, request: EvalResultsRequest, table: TableOptions = {}) =>
      readTrialBatches(context, projectId, request, table),
    /**
     * Writes that table to a file or a stream as Parquet, CSV, JSON Lines or Arrow, in bounded memory. A file appears
     * when it is complete, in place of one of its name; nothing is left behind by an export that fails or is aborted.
     */
    exportResults: (projectId: string, request: EvalResultsRequest, target: ExportOptions) =>
      exportResults(context, projectId, request, target),
    /**
     * Each candidate against the baseline on the rows that they share, dimension by dimension: difference, error,
     * p value adjusted over the whole answer, verdict. Throws `RequestError` where there is nothing to compare.
     */
    compareEvaluations: (projectId: string, request: CompareRequest, query: QueryOptions = {}) =>
      compareEvaluations(context, projectId, request, query),
    /**
     * One SELECT over the views of the project (`sql/duckdb/views`, README "SQL"), as an apache-arrow table. Values
     * of `?` and `$1` come as an array, of `$name` as an object. It reads nothing else and changes nothing. Throws
     * `RequestError` on a statement that may not run, or cannot; `EvalcubeError` `time_limit` or `result_too_large`.
     */
    sql: (projectId: string, statement: string, params: StatementParameters = [], limits: SqlOptions = {}) =>
      querySqlTable({ store, projectId, statement, params, options: limits }),
    /** The same in record batches, made as they are read. */
    sqlBatches: (
      projectId: string,
      statement: string,
      params: StatementParameters = [],
      limits: SqlOptions = {},
    ) => querySql({ store, projectId, statement, params, options: limits }),
    /** Writes the result of such a statement to a file or a stream, as `exportResults` writes a table. */
    exportSql: (
      projectId: string,
      statement: string,
      params: StatementParameters,
      target: SqlExportOptions,
    ) => exportSql(store, projectId, statement, params, target),
    /** The plan of a request, and each statement with its bound values, without running them. */
    explain: (projectId: string, request: EvalResultsRequest) => explainQuery(context, projectId, request),
    /**
     * Writes a copy of the database to a path that is free, while others go on reading and writing: what was committed
     * when it began. The file appears when it is complete and on the disk. Throws `StoreError` for a database in memory.
     */
    backup: (target: string) => backUp(store, target),
    /**
     * Reads every record and compares counts and references between tables; changes nothing. Blocks that DuckDB holds
     * in memory are not read from the disk again.
     */
    check: async (query: QueryOptions = {}) => {
      checkOptions(query, { signal: SIGNAL_RULE });
      return checkDatabase(store, conventions, query.signal);
    },
    /** Evaluations by start, those without a root last. */
    listEvaluations: async (projectId: string) => {
      checkQuery(projectId, {});
      return await listEvaluations(store, projectId);
    },
    /**
     * Ends what waits for a reader (batches, pieces of an answer), whose next step rejects; waits for all else that is
     * under way, exports to slow streams among it; then closes the database. From then on everything rejects with
     * `StoreError`, code `closed`.
     */
    close: () => store.close(),
  };
}

async function settled(store: Store, path: string, options: EngineOptions): Promise<Conventions> {
  const { predictAndScoreOps, attributeNamespaces } = options;
  try {
    return await settleConventions(store, path, {
      ...(predictAndScoreOps === undefined ? {} : { predictAndScoreOps }),
      ...(attributeNamespaces === undefined ? {} : { attributeNamespaces }),
    });
  } catch (error) {
    await store.close();
    throw error;
  }
}

const NOTHING: IngestResult = { received: 0, stored: 0, unchanged: 0, rejected: [], unknown_members: {} };

function addResults(a: IngestResult, b: IngestResult): IngestResult {
  const members = new Map(Object.entries(a.unknown_members));
  for (const [name, count] of Object.entries(b.unknown_members))
    members.set(name, (members.get(name) ?? 0) + count);
  return {
    received: a.received + b.received,
    stored: a.stored + b.stored,
    unchanged: a.unchanged + b.unchanged,
    rejected: [...a.rejected, ...b.rejected],
    unknown_members: Object.fromEntries(members),
  };
}
