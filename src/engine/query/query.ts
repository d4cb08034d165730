import {
  compilePage,
  compileRowCount,
  compileRowDetails,
  compileSummary,
  compileTrials,
} from "../../compile/query.ts";
import { readSum } from "../../compile/sums/summary-scale.ts";
import type { Session } from "../../store/session.ts";
import { statement, type SqlParameter, type SqlValue } from "../../store/sql.ts";
import { buildPlan, requestWarnings } from "../../plan/build-plan.ts";
import type { Plan, RowsPlan, ScorePath } from "../../plan/plan.ts";
import type { EvalRequest } from "../../request/eval-request.ts";
import { parseRequest } from "../../request/parse-request.ts";
import { writeRow, type RowDetails, type TrialDetails } from "../../respond/query/rows.ts";
import { answerKey, LONGEST_KEPT_ANSWER } from "./answer-cache.ts";
import { readVirtualScores } from "./virtual-scores.ts";
import { summarize, type ScoreSum, type ScoreSums } from "../../respond/summary/summary.ts";
import { rememberStatistics } from "../statistics/cache.ts";
import { readRowStatistics } from "../statistics/row-statistics.ts";
import type { QueryContext } from "../context.ts";
import { checkText } from "../flow/check-options.ts";
import { readBoth } from "../flow/read-both.ts";
import { readQueryCatalog, type CatalogCache } from "../catalog/read-catalog.ts";

/** Options of a query. */
export interface QueryOptions {
  /** Stops the work; the promise rejects with its reason. */
  readonly signal?: AbortSignal;
}

type Write = (piece: string) => void | Promise<void>;

/** The response to an evaluation-results request as JSON text, in pieces: a few hundred trials are read at a time. */
export async function queryEvalResults(
  context: QueryContext,
  projectId: string,
  input: unknown,
  write: Write,
  signal?: AbortSignal,
): Promise<void> {
  const request = parseRequest(input);
  const { answers, store } = context;
  if (answers === null) {
    await answer(context, projectId, request, write, signal);
    return;
  }
  const key = answerKey(projectId, request);
  const now = store.epoch();
  const known = now === null ? undefined : answers.find(key, now);
  if (known !== undefined) {
    signal?.throwIfAborted();
    await write(known);
    return;
  }
  const kept: string[] = [];
  let length = 0;
  const keep: Write = (piece) => {
    length += piece.length;
    if (length <= LONGEST_KEPT_ANSWER) kept.push(piece);
    return write(piece);
  };
  const epoch = await answer(context, projectId, request, keep, signal);
  if (epoch !== null && length <= LONGEST_KEPT_ANSWER) answers.keep(key, epoch, kept.join(""));
}

/** Writes the response; resolves to the epoch of the snapshot that it was read from. */
function answer(
  { store, catalogs, conventions }: QueryContext,
  projectId: string,
  request: EvalRequest,
  write: Write,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  return store.read(async (session) => {
    const catalog = await readQueryCatalog(session, catalogs, conventions, projectId, request);
    const plan = buildPlan(projectId, request, catalog);
    const warnings = requestWarnings(request, catalog);
    const sum = (own: Session) => readSums(own, catalogs, plan, signal);
    const both = plan !== null && plan.rows !== null && plan.summary !== null;
    const rows = async (own: Session) => {
      await write(`{"rows":[`);
      const total = plan?.rows == null ? 0 : await writeRows(own, request, plan, plan.rows, write, warnings);
      await write(`],"total_rows":${total},"summary":`);
    };
    const [, sums] = both
      ? await readBoth(store, session, rows, sum)
      : [await rows(session), await sum(session)];
    await write(
      request.includeSummary ? JSON.stringify(await summarize(request, catalog, plan, sums, signal)) : "null",
    );
    await write(`,"warnings":${JSON.stringify(warnings)}}`);
    return session.epoch;
  }, signal);
}

const NO_SUMS: ScoreSums = { rowCount: 0, trialCounts: new Map(), sums: [], rowStatistics: null };

async function readSums(
  session: Session,
  cache: CatalogCache,
  plan: Plan | null,
  signal: AbortSignal | undefined,
): Promise<ScoreSums> {
  if (plan === null || plan.summary === null) return NO_SUMS;
  const { summary } = plan;
  const found = await session.rows(compileSummary(plan, summary));
  const counts = found.filter(([, path]) => path === null);
  const sums = found
    .filter(([, path]) => path !== null)
    .flatMap((record) => readScoreSum(summary.scorePaths, record));
  const { rowStatistics } = summary;
  const trialCounts = new Map(
    counts.flatMap(([key, , , count]) => (key === null ? [] : [[Number(key), Number(count)]])),
  );
  return {
    rowCount: Number(counts.find(([key]) => key === null)?.[3] ?? 0),
    trialCounts,
    sums,
    rowStatistics:
      rowStatistics === null
        ? null
        : await rememberStatistics(cache.statistics, session.epoch, plan, summary, () =>
            readRowStatistics(session, plan, summary, rowStatistics, { sums, trialCounts }, signal),
          ),
  };
}

/** One record of `compileSummaryScores`. */
export function readScoreSum(paths: readonly ScorePath[], record: readonly SqlValue[]): ScoreSum[] {
  const [evaluation, pathKey, kind, count, high, low, plain] = record;
  const path = paths.find(({ key }) => key === Number(pathKey));
  if (path === undefined) return [];
  const total = readSum(
    paths,
    path,
    typeof high === "bigint" ? high : null,
    typeof low === "bigint" ? low : null,
    typeof plain === "number" ? plain : null,
  );
  return [
    { evaluationKey: Number(evaluation), pathKey: path.key, kind: Number(kind), count: Number(count), total },
  ];
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
  write: Write,
  warnings: string[],
): Promise<number> {
  const found = await session.rows(compilePage(plan, rows));
  const page = found.map(([key, digest]): PageRow => ({ key: Number(key), digest: String(digest) }));
  const unresolved = { count: 0, example: "" };
  const atATime = rowsAtATime(plan);
  const ahead = VIRTUAL_SCORES_AHEAD * atATime;
  let virtual: ReadonlyMap<number, string> = new Map();
  for (let i = 0; i < page.length; i += atATime) {
    const part = page.slice(i, i + atATime);
    if (i % ahead === 0) virtual = await readVirtualScores(session, plan, keysOf(page.slice(i, i + ahead)));
    const trials = await readTrials(session, plan, part, virtual);
    const values = rows.rawRows === "none" ? NO_VALUES : await readRowValues(session, part);
    const texts: string[] = [];
    for (const { key, digest } of part) {
      await session.turns.take();
      const row = { digest, ...(values.get(key) ?? NO_VALUE) };
      texts.push(writeRow(request, plan, row, trials.get(key) ?? [], unresolved));
    }
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

/** Virtual scores cost a scan of their leaves, so they are read for many pieces at once. */
const VIRTUAL_SCORES_AHEAD = 20;

function keysOf(rows: readonly PageRow[]): number[] {
  return rows.map(({ key }) => key);
}

function rowsAtATime(plan: Plan): number {
  return Math.max(1, Math.floor(TRIALS_AT_A_TIME / plan.evaluationKeys.length));
}

async function readTrials(
  session: Session,
  plan: Plan,
  rows: readonly PageRow[],
  virtual: ReadonlyMap<number, string>,
): Promise<Map<number, TrialDetails[]>> {
  const keys = keysOf(rows);
  const trials = new Map<number, TrialDetails[]>(keys.map((key) => [key, []]));
  for (const [row, trial, ...values] of await session.rows(compileTrials(plan, keys)))
    trials.get(Number(row))?.push(trialDetails(values, virtual.get(Number(trial)) ?? null));
  return trials;
}

function trialDetails(values: readonly SqlValue[], virtualScores: string | null): TrialDetails {
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
    virtualScores,
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
  /** What the query looks for, as plain data; null where no requested evaluation has trials. */
  readonly plan: Plan | null;
  /** The statements. */
  readonly sql: readonly string[];
  /** The bound values of each statement. */
  readonly params: readonly (readonly SqlParameter[])[];
}

export async function explainQuery(
  { store, catalogs, conventions }: QueryContext,
  projectId: string,
  input: unknown,
): Promise<Explanation> {
  checkText("project", projectId);
  const request = parseRequest(input);
  return store.read(async (session) => {
    const catalog = await readQueryCatalog(session, catalogs, conventions, projectId, request);
    const plan = buildPlan(projectId, request, catalog);
    if (plan === null) return { plan, sql: [], params: [] };
    const statements = [
      ...(plan.rows === null ? [] : [compilePage(plan, plan.rows)]),
      ...(plan.summary === null ? [] : [compileSummary(plan, plan.summary)]),
    ].map(statement);
    return { plan, sql: statements.map((one) => one.sql), params: statements.map((one) => one.params) };
  });
}
