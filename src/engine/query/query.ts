import { withLongTexts } from "../catalog/long-texts.ts";
import type { Session } from "../../store/session.ts";
import { buildPlan, requestWarnings } from "../../plan/build-plan.ts";
import type { Plan } from "../../plan/plan.ts";
import type { ScoreSums } from "../../plan/results.ts";
import { withIds, type AskedRequest, type EvalRequest } from "../../request/eval-request.ts";
import { parseRequest } from "../../request/parse-request.ts";
import { readRowPage, writeRowPage, type RowPage, type Write } from "./page.ts";
import { readErrorNotes } from "../statistics/failed-trials.ts";
import { readSums } from "./sums.ts";
import { findSuccess, readSpending, readStopReasons } from "../statistics/success.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import { chooseSummarySlices, readSummarySlices } from "../slices/summary-slices.ts";
import type { QueryContext } from "../base/context.ts";
import { answerKey, LONGEST_KEPT_ANSWER } from "../base/answer-cache.ts";
import { passKNotes, passKWarnings } from "../../respond/summary/pass-k.ts";
import type { Summary } from "../../respond/summary/scorer-stats.ts";
import { summarize, type EvaluationErrors, type SummaryParts } from "../../respond/summary/summary.ts";
import { narrowing } from "../../compile/rows/selected-rows.ts";
import type { Conventions } from "../../model/conventions.ts";
import { readErrorGroups } from "./error-groups.ts";
import { readQueryCatalog } from "../catalog/read-catalog.ts";
import { isOfKnown } from "../../request/resolve-names.ts";
import { nameEvaluations, type AskedOf } from "../catalog/named-request.ts";
import { parseJson } from "../../model/json.ts";
import type { EvalResultsRequest } from "../../request/eval-results-request.ts";
import type { EvalResultsResponse } from "../../respond/query/response.ts";
import { checkQuery } from "../../flow/check-options.ts";
import { generatePieces } from "../../flow/pieces.ts";
import { readBoth } from "../base/read-both.ts";

/** Options of a query. */
export interface QueryOptions {
  /** Stops the work; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes the response to an evaluation-results request as JSON text, in pieces of a few hundred
 * trials.
 */
export async function queryEvalResults(
  context: QueryContext,
  projectId: string,
  input: unknown,
  write: Write,
  signal?: AbortSignal,
): Promise<void> {
  const parsed = { input, asked: parseRequest(input) };
  const { answers, store } = context;
  if (answers === null) {
    await answer(context, projectId, parsed, write, signal);
    return;
  }
  // In one epoch a name stands for one evaluation.
  const key = answerKey(projectId, [parsed.asked, isOfKnown(input)]);
  const now = await store.epoch();
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
  const epoch = await answer(context, projectId, parsed, keep, signal);
  if (epoch !== null && length <= LONGEST_KEPT_ANSWER) answers.keep(key, epoch, kept.join(""));
}

const NO_ROWS: RowPage = { rows: [], total: 0 };

/** Writes the response; resolves to the epoch of the snapshot that it was read from, null if that is unknown. */
function answer(
  { store, catalogs, trials, conventions }: QueryContext,
  projectId: string,
  parsed: AskedOf<AskedRequest>,
  write: Write,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  return store.read(async (session) => {
    const named = await nameEvaluations(session, catalogs, projectId, parsed, withIds);
    const { request, notes, label } = named;
    const catalog = await readQueryCatalog(session, catalogs, projectId, request);
    const plan = await withLongTexts(session, buildPlan(projectId, request, catalog), request);
    const sum = (own: Session) => readSums(own, catalogs, plan);
    const chosen = await chooseSummarySlices(session, plan, catalog.fieldWarnings);
    const both = plan?.rows != null && plan.summary !== null;
    const rows = async (own: Session) => {
      await write(`{"rows":[`);
      const page = plan?.rows == null ? NO_ROWS : await readRowPage(own, plan, plan.rows);
      const told = plan === null ? [] : await writeRowPage(own, trials, request, plan, page, write);
      await write(`],"total_rows":${page.total},"summary":`);
      return told;
    };
    const [ofRows, sums] = both
      ? await readBoth(session, rows, sum)
      : [await rows(session), await sum(session)];
    if (request.includeSummary) {
      const sliced = await readSummarySlices(session, plan, sums, chosen);
      const errors = await errorsOf(session, conventions, request, plan);
      const ofSuccess = await successOf(session, request, plan, catalog);
      const summary = await summarize(request, catalog, plan, sums, { sliced, errors, ...ofSuccess }, signal);
      await write(JSON.stringify({ ...summary, ...(await notesOf(session, plan, sums, label)) }));
    } else await write("null");
    const ofSums = [...sums.warnings, ...(plan === null ? [] : passKWarnings(plan, sums))];
    const ofSlices = chosen?.warnings ?? [];
    const warnings = [...requestWarnings(request, catalog), ...ofRows, ...ofSlices, ...ofSums];
    await session.turns.take();
    await write(`,"warnings":${JSON.stringify([...notes, ...label(warnings)])}}`);
    return session.epoch;
  }, signal);
}

/** By evaluation key; null where they were not asked for. */
async function errorsOf(
  session: Session,
  conventions: Conventions,
  { includeErrors }: EvalRequest,
  plan: Plan | null,
): Promise<ReadonlyMap<number, EvaluationErrors> | null> {
  if (!includeErrors) return null;
  if (plan?.summary == null) return new Map();
  return readErrorGroups(session, conventions, plan, narrowing(plan, plan.summary.intersection));
}

/** What is told of success: what it took, and why trials stopped; null where it was not asked for. */
async function successOf(
  session: Session,
  { includeUsage, includeStopReasons, success: asked }: EvalRequest,
  plan: Plan | null,
  { scorePaths }: QueryCatalog,
): Promise<Pick<SummaryParts, "spending" | "stopped">> {
  const isAsked = asked !== null || includeUsage || includeStopReasons;
  if (plan?.summary == null || !isAsked)
    return { spending: null, stopped: includeStopReasons ? new Map() : null };
  const narrowed = narrowing(plan, plan.summary.intersection);
  const success = await findSuccess(session, plan, scorePaths, asked);
  return {
    spending: success === null || !includeUsage ? null : await readSpending(session, plan, success, narrowed),
    stopped: includeStopReasons ? await readStopReasons(session, plan, success, narrowed) : null,
  };
}

/** What a summary says of failed trials; nothing where there is nothing to say. */
async function notesOf(
  session: Session,
  plan: Plan | null,
  sums: ScoreSums,
  label: (texts: readonly string[]) => string[],
): Promise<Pick<Summary, "notes">> {
  const paths = plan?.summary?.scorePaths ?? [];
  const { counted, ends } = await readErrorNotes(session, plan, paths, sums);
  const notes = label([...counted, ...ends, ...(plan === null ? [] : passKNotes(plan, sums))]);
  return notes.length === 0 ? {} : { notes };
}

/** Yields the response in pieces, made as they are read. */
export async function* streamAnswer(
  context: QueryContext,
  projectId: string,
  request: unknown,
  options: QueryOptions,
): AsyncGenerator<string, void, undefined> {
  checkQuery(projectId, options);
  yield* generatePieces<string>(
    (write, signal) => queryEvalResults(context, projectId, request, write, signal),
    context.store.closing,
    options.signal,
  );
}

/** Returns the response as one JSON text. */
export async function writeAnswer(
  context: QueryContext,
  projectId: string,
  request: unknown,
  options: QueryOptions,
): Promise<string> {
  checkQuery(projectId, options);
  const pieces: string[] = [];
  await queryEvalResults(context, projectId, request, (piece) => void pieces.push(piece), options.signal);
  return pieces.join("");
}

/** Returns the response as plain objects. */
export async function readAnswer(
  context: QueryContext,
  projectId: string,
  request: EvalResultsRequest,
  options: QueryOptions,
): Promise<EvalResultsResponse> {
  const text = await writeAnswer(context, projectId, request, options);
  await context.store.turns.take();
  const response: unknown = parseJson(text);
  return response as EvalResultsResponse;
}
