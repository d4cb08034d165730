import { Table, type RecordBatch } from "apache-arrow";
import { emptyBatch, encodeBatch } from "../../arrow/encode/batch.ts";
import { encodeSchema } from "../../arrow/encode/types.ts";
import { compileDimensionKinds, compileTableColumns, tableColumns } from "../../compile/table/trial-table.ts";
import { EvalcubeError } from "../../errors.ts";
import type { Session } from "../../store/session.ts";
import { statement } from "../../store/sql.ts";
import { buildPlan, requestWarnings } from "../../plan/build-plan.ts";
import { scoreColumns, type TrialTablePlan } from "../../plan/trial-table.ts";
import { parseRequest } from "../../request/parse-request.ts";
import { checkOptions, checkText, SIGNAL_RULE, type OptionRules } from "../flow/check-options.ts";
import { generatePieces } from "../flow/pieces.ts";
import type { QueryContext } from "../context.ts";
import { readQueryCatalog } from "../catalog/read-catalog.ts";

/** Options of tables, batches and exports. */
export interface TableOptions {
  /** Stops the work; the promise rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Told what the `warnings` of a response would say of the request. */
  readonly onWarning?: (warning: string) => void;
}

export const TABLE_RULES: OptionRules = {
  signal: SIGNAL_RULE,
  onWarning: { allowed: "a function", fits: (value) => typeof value === "function" },
};

/**
 * Plans the table of a request, whose rows are meant whatever `include_rows` and `include_summary` say. The columns
 * depend on the requested evaluations alone, not on filters and page.
 */
export async function planTrialTable(
  session: Session,
  { catalogs }: QueryContext,
  projectId: string,
  input: unknown,
): Promise<{ readonly plan: TrialTablePlan; readonly warnings: readonly string[] }> {
  checkText("project", projectId);
  const request = { ...parseRequest(input), includeRows: true, includeSummary: false };
  const catalog = await readQueryCatalog(session, catalogs, projectId, request, true);
  const warnings = requestWarnings(request, catalog);
  const plan = buildPlan(projectId, request, catalog);
  if (plan === null || plan.rows === null) {
    return { plan: emptyTable(projectId, request.rawRows), warnings };
  }
  const dimensions = await session.all(compileDimensionKinds(plan));
  return {
    plan: {
      ...plan,
      rows: plan.rows,
      scoreColumns: scoreColumns(catalog.scorePaths, dimensions),
      repeatedKeys: plan.evaluationKeys.filter((key) => (catalog.trialsPerRow.get(key) ?? 2) > 1),
    },
    warnings,
  };
}

/** The table of a request, all of it in memory. */
export async function queryTrialTable(
  source: QueryContext,
  projectId: string,
  input: unknown,
  options: TableOptions,
): Promise<Table> {
  checkOptions(options, TABLE_RULES);
  return source.store.read(async (session) => {
    const { plan, warnings } = await planTrialTable(session, source, projectId, input);
    for (const warning of warnings) options.onWarning?.(warning);
    return collectTable(tableBatches(session, plan));
  }, options.signal);
}

/**
 * The table of a request in batches, made as they are read. The first one is empty where there is no trial, so
 * that the columns are known.
 */
export async function* readTrialBatches(
  source: QueryContext,
  projectId: string,
  input: unknown,
  options: TableOptions,
): AsyncGenerator<RecordBatch, void, undefined> {
  checkOptions(options, TABLE_RULES);
  yield* generatePieces<RecordBatch>(
    (write, signal) =>
      source.store.read(async (session) => {
        const { plan, warnings } = await planTrialTable(session, source, projectId, input);
        for (const warning of warnings) options.onWarning?.(warning);
        for await (const batch of tableBatches(session, plan)) await write(batch);
      }, signal),
    source.store.closing,
    options.signal,
  );
}

export async function* tableBatches(
  session: Session,
  plan: TrialTablePlan,
): AsyncGenerator<RecordBatch, void, undefined> {
  const { fields, batches } = await session.vectors(statement(compileTableColumns(plan)));
  const names = tableColumns(plan).map(({ name }) => name);
  const schema = encodeSchema(fields.map(({ type }, i) => ({ name: names[i] ?? "", type })));
  let count = 0;
  for await (const batch of batches) {
    yield encodeBatch(schema, batch);
    count++;
  }
  if (count === 0) yield emptyBatch(schema);
}

/** All batches as one table; more than `most` bytes are an error. */
export async function collectTable(batches: AsyncIterable<RecordBatch>, most = Infinity): Promise<Table> {
  const collected: RecordBatch[] = [];
  let bytes = 0;
  for await (const batch of batches) {
    bytes += batch.data.byteLength;
    if (bytes > most) {
      throw new EvalcubeError(
        "result_too_large",
        `the result has more than ${most} bytes; select less of it, or read it in batches`,
      );
    }
    collected.push(batch);
  }
  return new Table(collected);
}

/** No evaluation, no trial; the columns that are always there. */
function emptyTable(projectId: string, rawRows: TrialTablePlan["rows"]["rawRows"]): TrialTablePlan {
  return {
    projectId,
    projectKey: 0,
    evaluationKeys: [],
    evaluationIds: [],
    requestedCount: 0,
    includeChildren: true,
    mixedRows: false,
    virtualLeaves: [],
    filterGroups: [],
    rows: { intersection: false, sortBy: [], limit: null, offset: 0, rawRows },
    summary: null,
    scoreColumns: [],
    repeatedKeys: [],
  };
}
