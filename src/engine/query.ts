import {
  compilePage,
  compileRowCount,
  compileRowDetails,
  compileSummaryCounts,
  compileSummaryScores,
  compileTrials,
} from "../compile/compile.ts";
import type { Conventions } from "../ingest/call.ts";
import type { Session, Store } from "../model/session.ts";
import { statement, type SqlParameter, type SqlValue } from "../model/sql.ts";
import { buildPlan, requestWarnings } from "../plan/build-plan.ts";
import type { Plan, RowsPlan } from "../plan/plan.ts";
import type { EvalRequest } from "../request/eval-request.ts";
import { parseRequest } from "../request/parse-request.ts";
import { writeRow, type RowDetails, type TrialDetails } from "../respond/rows.ts";
import { summarize, type ScoreSums } from "../respond/summary.ts";
import { readQueryCatalog, type CatalogCache } from "./read-catalog.ts";

/** The response to an evaluation-results request as JSON text, in pieces: rows are read a few hundred at a time. */
export async function queryEvalResults(
  store: Store,
  cache: CatalogCache,
  conventions: Conventions,
  projectId: string,
  input: unknown,
  write: (piece: string) => void | Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const request = parseRequest(input);
  await store.read(async (session) => {
    const catalog = await readQueryCatalog(session, cache, conventions, projectId, request);
    const plan = buildPlan(projectId, request, catalog);
    const warnings = requestWarnings(request, catalog);
    let total = 0;
    await write(`{"rows":[`);
    if (plan?.rows != null) total = await writeRows(session, request, plan, plan.rows, write, warnings);
    await write(`],"total_rows":${total},"summary":`);
    const sums = plan?.summary == null ? NO_SUMS : await readSums(session, plan);
    await write(request.includeSummary ? JSON.stringify(summarize(request, catalog, plan, sums)) : "null");
    await write(`,"warnings":${JSON.stringify(warnings)}}`);
  }, signal);
}

const NO_SUMS: ScoreSums = { rowCount: 0, trialCounts: new Map(), sums: [] };

async function readSums(session: Session, plan: Plan): Promise<ScoreSums> {
  const { summary } = plan;
  if (summary === null) return NO_SUMS;
  const counts = await session.rows(compileSummaryCounts(plan, summary));
  const sums = await session.rows(compileSummaryScores(plan, summary));
  return {
    rowCount: Number(counts.find(([key]) => key === null)?.[1] ?? 0),
    trialCounts: new Map(
      counts.flatMap(([key, count]) => (key === null ? [] : [[Number(key), Number(count)]])),
    ),
    sums: sums.map(([evaluation, path, kind, count, high, low, plain]) => ({
      evaluationKey: Number(evaluation),
      pathKey: Number(path),
      kind: Number(kind),
      count: Number(count),
      high: typeof high === "bigint" ? high : null,
      low: typeof low === "bigint" ? low : null,
      plain: typeof plain === "number" ? plain : null,
    })),
  };
}

interface PageRow {
  readonly key: number;
  readonly digest: string;
}

async function writeRows(
  session: Session,
  request: EvalRequest,
  plan: Plan,
  rows: RowsPlan,
  write: (piece: string) => void | Promise<void>,
  warnings: string[],
): Promise<number> {
  const found = await session.rows(compilePage(plan, rows));
  const page = found.map(([key, digest]): PageRow => ({ key: Number(key), digest: String(digest) }));
  const unresolved = { count: 0, example: "" };
  const atATime = rowsAtATime(plan);
  for (let i = 0; i < page.length; i += atATime) {
    const part = page.slice(i, i + atATime);
    const trials = await readTrials(session, plan, part);
    const values = rows.rawRows === "none" ? NO_VALUES : await readRowValues(session, part);
    const texts = part.map(({ key, digest }) =>
      writeRow(
        request,
        plan,
        { digest, ...(values.get(key) ?? NO_VALUE) },
        trials.get(key) ?? [],
        unresolved,
      ),
    );
    await write(`${i === 0 ? "" : ","}${texts.join(",")}`);
  }
  if (unresolved.count > 0) {
    warnings.push(
      `${unresolved.count} row${unresolved.count === 1 ? "" : "s"} of the page could not be resolved: no dataset row is stored for example for digest ${JSON.stringify(unresolved.example)}`,
    );
  }
  if (found.length > 0) return Number(found[0]?.[2]);
  const [counted] = await session.rows(compileRowCount(plan, rows));
  return Number(counted?.[0]);
}

/** Keeps memory bounded whatever the page, and the event loop free. */
const TRIALS_AT_A_TIME = 500;

function rowsAtATime(plan: Plan): number {
  return Math.max(1, Math.floor(TRIALS_AT_A_TIME / plan.evaluationKeys.length));
}

async function readTrials(
  session: Session,
  plan: Plan,
  rows: readonly PageRow[],
): Promise<Map<number, TrialDetails[]>> {
  const keys = rows.map(({ key }) => key);
  const trials = new Map<number, TrialDetails[]>(keys.map((key) => [key, []]));
  for (const [row, ...values] of await session.rows(compileTrials(plan, keys)))
    trials.get(Number(row))?.push(trialDetails(values));
  return trials;
}

function trialDetails(values: readonly SqlValue[]): TrialDetails {
  const [evaluation, startedAt, id, output, latency, tokens, predict, scorers, late, prefix, example] =
    values;
  return {
    evaluationKey: Number(evaluation),
    startedAt: startedAt as bigint,
    id: String(id),
    output: nullableText(output),
    latencySeconds: nullableNumber(latency),
    totalTokens: nullableNumber(tokens),
    predictCallId: nullableText(predict),
    scorerCallIds: nullableText(scorers),
    lateScores: nullableText(late),
    referencePrefix: nullableText(prefix),
    example: nullableText(example),
  };
}

type RowValues = Omit<RowDetails, "digest">;
const NO_VALUE: RowValues = { val: null, inlineExample: null };
const NO_VALUES: ReadonlyMap<number, RowValues> = new Map();

async function readRowValues(
  session: Session,
  rows: readonly PageRow[],
): Promise<ReadonlyMap<number, RowValues>> {
  const found = await session.rows(compileRowDetails(rows.map(({ key }) => key)));
  return new Map(
    found.map(([key, val, inlineExample]) => [
      Number(key),
      { val: nullableText(val), inlineExample: nullableText(inlineExample) },
    ]),
  );
}

function nullableText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function nullableNumber(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

/** What a query would do: its plan, and each statement with its bound values. */
export interface Explanation {
  readonly plan: Plan | null;
  readonly sql: readonly string[];
  readonly params: readonly (readonly SqlParameter[])[];
}

export async function explainQuery(
  store: Store,
  cache: CatalogCache,
  conventions: Conventions,
  projectId: string,
  input: unknown,
): Promise<Explanation> {
  const request = parseRequest(input);
  return store.read(async (session) => {
    const catalog = await readQueryCatalog(session, cache, conventions, projectId, request);
    const plan = buildPlan(projectId, request, catalog);
    if (plan === null) return { plan, sql: [], params: [] };
    const statements = [
      ...(plan.rows === null ? [] : [compilePage(plan, plan.rows)]),
      ...(plan.summary === null
        ? []
        : [compileSummaryCounts(plan, plan.summary), compileSummaryScores(plan, plan.summary)]),
    ].map(statement);
    return { plan, sql: statements.map((one) => one.sql), params: statements.map((one) => one.params) };
  });
}
