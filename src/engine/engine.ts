import { StoreError } from "../errors.ts";
import { fileUser, USER_VARIABLE } from "../model/user-name.ts";
import type { Logging } from "../logging/api.ts";
import type { CallStore } from "../logging/seam.ts";
import type { FileStore, RecordStore, Store } from "../store/session.ts";
import { measureAgreement } from "./agreement/agreement.ts";
import type { Engine } from "./api.ts";
import { openContext, type Backend } from "./backend.ts";
import { listEvaluations, countEvaluations, listProjects } from "./catalog/list-evaluations.ts";
import { readEvaluation, readTrial } from "./catalog/logged-trials.ts";
import { createStoredReader } from "./catalog/trial-parts.ts";
import { compareEvaluations } from "./compare/compare.ts";
import type { QueryContext } from "./base/context.ts";
import { checkEngineOptions, type EngineOptions } from "./engine-options.ts";
import { deleteEvaluations } from "./delete-evaluations.ts";
import { exportResults } from "./export/export-results.ts";
import { checkOptions, checkQuery, RULE } from "../flow/check-options.ts";
import { answerStored } from "./import/answer-stored.ts";
import { RunReader } from "./import/stored-runs.ts";
import { createLoading, type StoreCalls, type StoreTexts } from "./load-records.ts";
import { readInfo } from "./info.ts";
import { readHistory } from "./history/history.ts";
import { planRows } from "./plan/plan-rows.ts";
import { readItems } from "./items/items.ts";
import { readSteps } from "./steps/steps.ts";
import { rankEvaluations } from "./leaderboard/leaderboard.ts";
import { openBackend } from "./open-backend.ts";
import { openFile } from "./open-file.ts";
import { readAnswer, streamAnswer, writeAnswer, type QueryOptions } from "./query/query.ts";
import { explainQuery } from "./query/explain.ts";
import type { EvalResultsRequest } from "../request/eval-results-request.ts";
import { ASK_STORED, type AskStored } from "../request/stored-question.ts";
import type { TableOf } from "./table-of.ts";
import { readColumns } from "./table/columns.ts";
import { queryTrialTable, readTrialBatches, type TableOptions } from "./table/table.ts";

/**
 * An engine without what is put on top of it: `store` is for the records beside evaluations, the others are for what
 * logs.
 */
interface Core<S extends Store> extends Omit<
  Engine,
  "feedback" | "training" | "usage" | "weave" | typeof Symbol.asyncDispose | keyof Logging
> {
  readonly store: S;
  readonly stored: ReturnType<typeof createStoredReader>;
  readonly storeCalls: StoreCalls;
  readonly storeParts: StoreTexts;
  readonly storeRows: StoreTexts;
  readonly logged: Omit<CallStore, "write">;
  /** For services, whose clients load and log from elsewhere. */
  readonly [ASK_STORED]: AskStored;
}

/** Opens an engine over DuckDB without feedback, training, usage and weave. */
export async function openCore(options: EngineOptions = {}): Promise<Core<FileStore>> {
  checkEngineOptions(options);
  return createCore(await openFile(options), options);
}

/** The same over whatever database the options name. */
export async function openAnyCore(options: EngineOptions): Promise<Core<Store & RecordStore>> {
  checkEngineOptions(options);
  return createCore(await openBackend(options), options);
}

/** Builds every capability over the same database. */
export function createCore<S extends Store>(backend: Backend<S>, options: EngineOptions): Core<S> {
  const { store, conventions } = backend;
  const context = openContext(backend, options);
  const { user = process.env[USER_VARIABLE] } = options;
  const { endLoads, interruptLoads, ...loading } = createLoading({
    ...backend,
    stored: (project) => new RunReader(store, project),
    user: fileUser(user),
  });
  return {
    store,
    stored: createStoredReader(store, conventions),
    logged: {
      conventions,
      readEvaluation: (project, id, each) => readEvaluation(store, project, id, each),
      readTrial: (project, id, scorer, callId) => readTrial(store, project, id, scorer, callId),
    },
    ...loading,
    queryEvalResults: (project, request, query = {}) => readAnswer(context, project, request, query),
    queryEvalResultsJson: (project, request, query = {}) => writeAnswer(context, project, request, query),
    streamEvalResults: (project, request, query = {}) => streamAnswer(context, project, request, query),
    explain: (project, request) => explainQuery(context, project, request),
    [ASK_STORED]: (project, question) => answerStored(store, project, question),
    ...createLists(context, loading.deleteCalls),
    ...createTables(context),
    ...backend.statements,
    ...createStatistics(context),
    check: async (query = {}) => {
      checkOptions(query, { signal: RULE.signal });
      return await backend.check(query.signal);
    },
    info: (query = {}) => readInfo(backend, query),
    backup: backend.backUp,
    maintain: backend.maintain,
    interrupt: () => interruptAll(interruptLoads, store.interrupt),
    close: () => endLoads().then(store.close),
  };
}

/** The members that list projects and evaluations, and that delete from lists. */
function createLists(
  { store, catalogs }: QueryContext,
  deleteCalls: Engine["deleteCalls"],
): Pick<Engine, "listProjects" | "countEvaluations" | "listEvaluations" | "deleteEvaluations"> {
  const listOf = (project: string, { signal }: QueryOptions) =>
    listEvaluations(store, catalogs.lists, project, signal);
  return {
    listProjects: () => listProjects(store),
    countEvaluations: async (query = {}) => {
      checkOptions(query, { signal: RULE.signal });
      return await countEvaluations(store, query.signal);
    },
    listEvaluations: async (project, query = {}) => {
      checkQuery(project, query);
      return await listOf(project, query);
    },
    deleteEvaluations: async (project, request, { user, ...query } = {}) => {
      checkQuery(project, query);
      const list = () => listOf(project, query);
      const remove: typeof deleteCalls = (of, ids, options) => deleteCalls(of, ids, { ...options, user });
      return await deleteEvaluations({ store, list, deleteCalls: remove }, project, request, query.signal);
    },
  };
}

function interruptAll(...parts: readonly Store["interrupt"][]): void {
  const reason = new StoreError("interrupted", "the engine was told to end what is under way");
  for (const interrupt of parts) interrupt(reason);
}

/** The members that compare evaluations. */
function createStatistics(
  context: QueryContext,
): Pick<
  Engine,
  "compareEvaluations" | "leaderboard" | "history" | "items" | "steps" | "agreement" | "planRows"
> {
  return {
    compareEvaluations: (project, request, query = {}) =>
      compareEvaluations(context, project, request, query),
    leaderboard: (project, request = {}, query = {}) => rankEvaluations(context, project, request, query),
    history: (project, request = {}, query = {}) => readHistory(context, project, request, query),
    planRows: (project, request, query = {}) => planRows(context, project, request, query),
    steps: (project, request, query = {}) => readSteps(context, project, request, query),
    items: (project, request, query = {}) => readItems(context, project, request, query),
    agreement: ((project: string, request: unknown, query: QueryOptions = {}) =>
      measureAgreement(context, project, request, query)) as Engine["agreement"],
  };
}

/** The members that give trials as tables. */
function createTables(
  context: QueryContext,
): Pick<Engine, "queryTable" | "queryBatches" | "queryColumns" | "exportResults"> {
  return {
    queryTable: <Row extends object>(
      project: string,
      request: EvalResultsRequest,
      table: TableOptions = {},
    ) => queryTrialTable(context, project, request, table) as Promise<TableOf<Row>>,
    queryBatches: (project, request, table = {}) => readTrialBatches(context, project, request, table),
    queryColumns: (project, request, table = {}) => readColumns(context, project, request, table),
    exportResults: (project, request, target) => exportResults(context, project, request, target),
  };
}
