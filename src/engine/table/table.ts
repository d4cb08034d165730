import { stubsIn } from "../../model/text-stubs.ts";
import { NO_LONG_TEXTS } from "../../plan/plan.ts";
import { withLongTexts } from "../catalog/long-texts.ts";
import { nameEvaluations } from "../catalog/named-request.ts";
import type { RecordBatch, Schema, Table } from "apache-arrow";
import { grouped } from "../../model/grouped.ts";
import { groupsOf } from "../../texts/whole-texts.ts";
import { emptyBatch, encodeBatch, collectTable } from "../../arrow/encode/batch.ts";
import { encodeSchema } from "../../arrow/encode/types.ts";
import {
  compileDimensionKinds,
  compileTableColumns,
  compileTableTexts,
  tableColumns,
} from "../../compile/table/trial-table.ts";
import { narrowing } from "../../compile/rows/selected-rows.ts";
import type { Session } from "../../store/session.ts";
import { statement } from "../../store/sql.ts";
import { buildPlan, requestWarnings } from "../../plan/build-plan.ts";
import type { CatalogPath } from "../../plan/query-catalog.ts";
import { scoreColumns, type TrialTablePlan } from "../../plan/trial-table.ts";
import { withIds, type EvalRequest } from "../../request/eval-request.ts";
import { parseRequest } from "../../request/parse-request.ts";
import { checkOptions, checkProjectId, RULE, type OptionRules } from "../../flow/check-options.ts";
import { generatePieces } from "../../flow/pieces.ts";
import type { QueryContext } from "../base/context.ts";
import { readCosts } from "../query/costs.ts";
import { readQueryCatalog } from "../catalog/read-catalog.ts";

/** Options of tables, batches and exports. */
export interface TableOptions {
  /** Stops the work; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each warning that the `warnings` of a response would have for the request. */
  readonly onWarning?: ((warning: string) => void) | undefined;
}

export const TABLE_RULES: OptionRules = {
  signal: RULE.signal,
  onWarning: RULE.callback,
};

export interface PlannedTable {
  readonly plan: TrialTablePlan;
  /** Score paths of the project, and those that are computed. */
  readonly paths: readonly CatalogPath[];
  readonly withErrors: boolean;
  readonly withOutputs: boolean;
  readonly warnings: readonly string[];
}

/**
 * Plans the table of a request. Its rows are included whatever `include_rows` and `include_summary` say. The columns
 * depend on the requested evaluations alone, not on filters and page.
 */
export async function planTrialTable(
  session: Session,
  { catalogs }: QueryContext,
  projectId: string,
  input: unknown,
): Promise<PlannedTable> {
  checkProjectId(projectId);
  const asked = { ...parseRequest(input), includeRows: true, includeSummary: false };
  const named = await nameEvaluations(session, catalogs, projectId, { input, asked }, withIds);
  const { request, notes, label } = named;
  const catalog = await readQueryCatalog(session, catalogs, projectId, request, true);
  const warnings = [...notes, ...label(requestWarnings(request, catalog))];
  const parts = {
    withErrors: request.includeTrialErrors,
    withOutputs: request.includeOutputs !== false,
  };
  const plan = await withLongTexts(session, buildPlan(projectId, request, catalog), request);
  if (plan === null || plan.rows === null) {
    return { plan: emptyTable(projectId, request), paths: [], ...parts, warnings };
  }
  if (plan.prices !== null)
    warnings.push(
      ...(await readCosts(session, plan, narrowing(plan, plan.rows.intersection), plan.prices)).warnings,
    );
  const dimensions = await session.all(compileDimensionKinds(plan));
  return {
    plan: {
      ...plan,
      rows: plan.rows,
      scoreColumns: scoreColumns(catalog.scorePaths, dimensions),
      repeatedKeys: plan.evaluationKeys.filter((key) => (catalog.trialsPerRow.get(key) ?? 2) > 1),
      part: null,
    },
    paths: catalog.scorePaths,
    ...parts,
    warnings,
  };
}

/** Reads the table of a request into memory. */
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
 * Yields the table of a request in batches, made as they are read. Where there is no trial, it yields one empty batch,
 * so that the columns are known.
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
  const names = tableColumns(plan).map(({ name }) => name);
  let count = 0;
  let schema: Schema | null = null;
  for (const part of await partsOf(session, plan)) {
    const { fields, batches } = await session.vectors(statement(compileTableColumns(part), session.dialect));
    schema ??= encodeSchema(fields.map(({ type }, i) => ({ name: names[i] ?? "", type })));
    for await (const batch of batches) {
      yield encodeBatch(schema, batch);
      count++;
    }
  }
  if (count === 0 && schema !== null) yield emptyBatch(schema);
}

/** Bytes of long texts in a part: DuckDB holds each some ten times while it writes them. */
const BYTES_OF_PART = 6 * 1024 * 1024;

/** The table in parts whose long texts fit into memory. */
export async function partsOf(
  session: Session,
  plan: TrialTablePlan,
  of: readonly ("outputs" | "rows")[] = ["outputs", "rows"],
): Promise<readonly TrialTablePlan[]> {
  if (!plan.longTexts || (plan.rows.rawRows === "none" && !of.includes("outputs"))) return [plan];
  const texts = await session.all(compileTableTexts(plan, of));
  if (texts.length === 0) return [plan];
  const places = [];
  for (const [place, own] of grouped(texts, (one) => one.place)) {
    await session.turns.take();
    const stubs = own.flatMap(({ text }) => stubsIn(session.mark ?? null, text));
    const bytes = stubs.reduce((sum, stub) => sum + stub.bytes, 0);
    places.push({ place, textKeys: stubs.map(({ key }) => key), bytes });
  }
  const groups = [
    ...groupsOf(
      places.toSorted((a, b) => a.place - b.place),
      BYTES_OF_PART,
    ),
  ];
  return groups.map((group, i) => {
    const next = groups[i + 1]?.[0]?.place ?? Number.MAX_SAFE_INTEGER;
    const from = i === 0 ? 0 : (group[0]?.place ?? 0);
    return { ...plan, part: { from, to: next, textKeys: group.flatMap(({ textKeys }) => textKeys) } };
  });
}

/** The plan of a table without evaluations and trials, with the columns that are always there. */
function emptyTable(projectId: string, { rawRows, prices }: EvalRequest): TrialTablePlan {
  return {
    projectId,
    projectKey: 0,
    evaluationKeys: [],
    evaluationIds: [],
    requestedCount: 0,
    includeChildren: true,
    mixedRows: false,
    manyTrials: false,
    longTexts: false,
    ...NO_LONG_TEXTS,
    latestFirst: [],
    virtualLeaves: [],
    countings: [],
    filterGroups: [],
    moved: null,
    missing: null,
    search: null,
    prices,
    rows: { intersection: false, sortBy: [], limit: null, offset: 0, rawRows },
    summary: null,
    scoreColumns: [],
    repeatedKeys: [],
    part: null,
  };
}
