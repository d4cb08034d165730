import type { ScoreBook } from "../check/score-book.ts";
import type { JsonObject } from "../../model/json.ts";
import { parseTimestamp } from "../../model/timestamp.ts";
import { noSamples, SourceFault } from "../read/fault.ts";
import { checkRun, checkTime, checkTrial } from "./bounds.ts";
import type { LogEvaluation, LogItem, LogRecord, LogScore, LogTrial } from "./log-parts.ts";
import { rowReferences, trialId } from "./ids.ts";
import { RowPlaces, type PlacedRow, type StoredRows } from "./place-rows.ts";
import { rootCall, rowOf, scoreCall, trialCalls, type RecordContext, type TrialRow } from "./records.ts";
import { keepRows, rowText, type RecordItem } from "./record-rows.ts";
import type { Tally } from "./tally.ts";

interface Reading {
  readonly book: ScoreBook;
  readonly refuse: (fault: SourceFault) => void;
  /** How many trials were refused so far. */
  readonly refused: () => number;
  /** The bytes of the source that were read so far. */
  readonly bytes: () => number;
  /** The root call of an evaluation under the id of its run. */
  readonly place: (evaluation: LogEvaluation, root: JsonObject) => Promise<PlacedRoot>;
  /** Whether the trials of a run take the place of those that are stored. */
  readonly replaces: (root: string) => boolean;
  readonly stored: StoredRows;
}

/** A root call, its id and name, and its start, which the log may not have. */
export type PlacedRoot = JsonObject & Readonly<Record<"id" | "display_name" | "started_at", string>>;

interface Context extends RecordContext, Reading {
  readonly tally: Tally;
  readonly rows: RowPlaces;
  /** What the references to the rows of an evaluation begin with. */
  readonly references: Map<string, string>;
  /** Root calls that come behind their trials, by the log's own ids. */
  readonly late: Map<string, LogRecord>;
}

/**
 * Turns what a log holds into records, and counts it. `refuse` hears of trials that cannot be stored, and may throw.
 */
export async function* translateLog(
  items: AsyncIterable<LogItem>,
  source: RecordContext,
  tally: Tally,
  reading: Reading,
): AsyncGenerator<readonly LogRecord[]> {
  const rows = new RowPlaces(reading.stored);
  const context = { ...source, ...reading, tally, rows, references: new Map(), late: new Map() };
  for await (const batch of batchesOf(items, context)) yield* recordsOfBatch(batch, context);
  if (tally.isEmpty && reading.refused() === 0)
    throw noSamples("holds no trials; there is nothing to import");
  for (const note of rows.notes.all(tally.rowCount + rows.notes.rows)) tally.notes.add(note);
  for (const [id, root] of context.late) yield [{ ...root, record: { ...root.record, ...tally.times(id) } }];
}

/** An item, and the row of a trial. */
interface ReadItem {
  readonly item: LogItem;
  readonly row: TrialRow | null;
}

/** What is stored is asked for so many items at once, which are about so many bytes of the source. */
const AT_ONCE = 512;
const BYTES_AT_ONCE = 4 * 1024 * 1024;

/** Items together, without trials that cannot be stored; figures behind trials are computed of these. */
async function* batchesOf(
  items: AsyncIterable<LogItem>,
  context: Context,
): AsyncGenerator<readonly ReadItem[]> {
  let batch: ReadItem[] = [];
  let begin = context.bytes();
  for await (const item of items) {
    const read = orNone(context, () => readItem(item, context));
    if (read !== null) batch.push(read);
    if (batch.length < AT_ONCE && context.bytes() - begin < BYTES_AT_ONCE) continue;
    yield batch;
    batch = [];
    begin = context.bytes();
  }
  yield batch;
}

function readItem(item: LogItem, context: Context): ReadItem {
  const { book } = context;
  if (item.kind === "score" && item.isAgain !== true)
    book.add(item.score.evaluation.id, item.score.sample, { [item.score.key]: item.score.value });
  if (item.kind !== "trial") return { item, row: null };
  const { trial } = item;
  checkTrial(trial);
  const row = rowOf(context, trial);
  // One sample id may be asked two things; these are two rows.
  if (item.isAgain !== true) book.add(trial.evaluation.id, `${trial.sample}\0${row.digest}`, trial.scores);
  return { item, row };
}

/** What can be stored; else the fault is told, and nothing is left. */
function orNone<T>({ refuse }: Reading, make: () => T): T | null {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    refuse(error);
    return null;
  }
}

/** Records that are given on at once: what they are made of is let go of with them. */
const GIVEN_ON = 128;

async function* recordsOfBatch(
  batch: readonly ReadItem[],
  context: Context,
): AsyncGenerator<readonly LogRecord[]> {
  const { tally, rows } = context;
  let records: LogRecord[] = [];
  for (const { item } of batch) {
    const evaluation = evaluationOf(item);
    if (evaluation === null || tally.has(evaluation.id)) continue;
    const root = await rootRecord(evaluation, context);
    // Where the log has no time of the run, it is that of its trials.
    if (isTimedByTrials(evaluation)) context.late.set(evaluation.id, root);
    else records.push(root);
  }
  const asked = batch.flatMap(({ item, row }) => {
    if (item.kind !== "trial" || row === null) return [];
    const { id } = tally.find(item.trial.evaluation.id);
    return [{ trial: item.trial, row, replaced: context.replaces(id) ? id : null }];
  });
  const placed = await rows.find(asked);
  let trials = 0;
  for (const { item } of batch) {
    const found = item.kind === "trial" ? placed(trials++, (digest) => tally.hasRow(digest)) : null;
    records.push(...(orNone(context, () => recordsOf(item, found, context)) ?? []));
    if (records.length < GIVEN_ON) continue;
    yield records;
    records = [];
  }
  const written = batch.flatMap(({ item }) => (isRecord(item) ? [item] : []));
  tally.written += written.length;
  records.push(...(await keepRows({ ...context, notes: rows.notes }, written)));
  if (records.length > 0) yield records;
}

const isRecord = (item: LogItem): item is RecordItem => item.kind === "call" || item.kind === "row";

function evaluationOf(item: LogItem): LogEvaluation | null {
  if (item.kind === "evaluation") return item.evaluation;
  if (item.kind === "trial") return item.trial.evaluation;
  return item.kind === "score" ? item.score.evaluation : null;
}

function isTimedByTrials({ startedAt, endedAt, goesOn }: LogEvaluation): boolean {
  return startedAt == null || (endedAt == null && goesOn !== true);
}

async function rootRecord(evaluation: LogEvaluation, context: Context): Promise<LogRecord> {
  checkRun(evaluation);
  const record = await context.place(evaluation, rootCall(context, evaluation));
  const startedAt = evaluation.startedAt ?? parseTimestamp(record.started_at) ?? 0n;
  context.tally.evaluation(evaluation, {
    ...evaluation,
    id: record.id,
    name: record.display_name,
    startedAt,
  });
  return { kind: "calls", record, place: "evaluation" };
}

const NONE: readonly LogRecord[] = [];

/** The records of one item; none of an evaluation. */
function recordsOf(item: LogItem, placed: PlacedRow | null, context: Context): readonly LogRecord[] {
  const { tally } = context;
  switch (item.kind) {
    case "evaluation":
      return NONE;
    case "mapping":
      tally.settle(item);
      return NONE;
    case "note":
      tally.notes.add(item.text);
      return NONE;
    case "part":
      tally.part(item.text);
      return NONE;
    case "figure":
      tally.figure(item.figure, item.tolerance);
      return NONE;
    case "unchecked":
      tally.unchecked(item.what, item.why);
      return NONE;
    case "trial":
      return placed === null ? NONE : trialRecords(item.trial, item.isAgain === true, placed, context);
    case "score":
      checkTime(item.score.startedAt, item.score.place);
      return lateScoreRecords(item.score, context);
    case "overview":
      tally.overview(item.evaluation);
      return NONE;
    case "call":
    case "row":
      return NONE;
  }
}

function lateScoreRecords(score: LogScore, context: Context): readonly LogRecord[] {
  const { tally } = context;
  tally.scorer(score);
  const record = scoreCall(context, tally.find(score.evaluation.id), score);
  return [{ kind: "calls", record, place: score.place }];
}

/** A row comes once a source. */
function trialRecords(
  trial: LogTrial,
  isAgain: boolean,
  { digest, val, text, details, isSplit }: PlacedRow,
  context: Context,
): LogRecord[] {
  const { tally, projectId } = context;
  const { place } = trial;
  const evaluation = tally.find(trial.evaluation.id);
  const example = `${referencesOf(evaluation, context)}${digest}`;
  // Where an id is that of two questions, another file of the run may have the other one.
  const sample = isSplit ? `${trial.sample}~${digest}` : trial.sample;
  const named = trialId(evaluation.id, sample, trial.trial);
  const id = isAgain ? named : tally.newTrial(named);
  const calls = trialCalls(context, evaluation, trial, { id, example, details });
  const records: LogRecord[] = calls.map((call) => ({ kind: "calls", record: call, place }));
  if (!tally.trial(trial, digest, isAgain)) return records;
  const stored = text === null ? {} : { text: rowText(projectId, digest, text) };
  return [{ kind: "rows", record: { project_id: projectId, digest, val }, place, ...stored }, ...records];
}

function referencesOf({ id, task }: LogEvaluation, { projectId, format, references }: Context): string {
  const known = references.get(id) ?? rowReferences(projectId, format, task);
  references.set(id, known);
  return known;
}
