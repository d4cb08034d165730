import type { ScoreBook } from "../check/score-book.ts";
import type { JsonObject } from "../../model/json.ts";
import { parseTimestamp } from "../../model/timestamp.ts";
import { noSamples, SourceFault } from "../read/fault.ts";
import { checkRun, checkTime, checkTrial } from "./bounds.ts";
import type { LogEvaluation, LogItem, LogScore, LogTrial } from "./log-parts.ts";
import { rowReferences, trialId } from "./ids.ts";
import { rootCall, rowRecord, scoreCall, trialCalls, type RecordContext } from "./records.ts";
import type { Tally } from "./tally.ts";

/** A call or a dataset row, and where in the source it comes from. */
export interface LogRecord {
  readonly kind: "calls" | "rows";
  readonly record: JsonObject;
  /** The record as it was written, where it was not made here. */
  readonly text?: string;
  readonly place: string;
}

interface Reading {
  readonly book: ScoreBook;
  readonly refuse: (fault: SourceFault) => void;
  /** How many trials were refused so far. */
  readonly refused: () => number;
  /** The root call of an evaluation under the id of its run. */
  readonly place: (evaluation: LogEvaluation, root: JsonObject) => Promise<PlacedRoot>;
}

/** A root call, its id, and its start, which the log may not have. */
export type PlacedRoot = JsonObject & { readonly id: string; readonly started_at: string };

/** Turns what a log holds into records, and counts it. `refuse` hears of trials that cannot be stored, and may throw. */
export async function* translateLog(
  items: AsyncIterable<LogItem>,
  source: RecordContext,
  tally: Tally,
  reading: Reading,
): AsyncGenerator<readonly LogRecord[]> {
  const context = { ...source, references: new Map<string, string>() };
  const roots = new Map<string, readonly LogRecord[]>();
  for await (const item of items) {
    const evaluation = evaluationOf(item);
    if (evaluation !== null && !tally.has(evaluation.id)) {
      const root = [await rootRecord(evaluation, context, tally, reading)];
      // Where the log has no time of the run, it is that of its trials.
      if (isTimedByTrials(evaluation)) roots.set(evaluation.id, root);
      else yield root;
    }
    const records = acceptedOf(item, context, tally, reading);
    if (records.length > 0) yield records;
  }
  if (tally.isEmpty && reading.refused() === 0)
    throw noSamples("holds no trials; there is nothing to import");
  for (const [id, records] of roots)
    yield records.map((root) => ({ ...root, record: { ...root.record, ...tally.times(id) } }));
}

function evaluationOf(item: LogItem): LogEvaluation | null {
  if (item.kind === "evaluation") return item.evaluation;
  if (item.kind === "trial") return item.trial.evaluation;
  return item.kind === "score" ? item.score.evaluation : null;
}

function isTimedByTrials({ startedAt, endedAt, goesOn }: LogEvaluation): boolean {
  return startedAt == null || (endedAt == null && goesOn !== true);
}

async function rootRecord(
  evaluation: LogEvaluation,
  context: Context,
  tally: Tally,
  { place }: Reading,
): Promise<LogRecord> {
  checkRun(evaluation);
  const record = await place(evaluation, rootCall(context, evaluation));
  const startedAt = evaluation.startedAt ?? parseTimestamp(record.started_at) ?? 0n;
  tally.evaluation(evaluation, { ...evaluation, id: record.id, startedAt });
  return { kind: "calls", record, place: "evaluation" };
}

/** The records of one item; none of an evaluation, and of a trial or a score that cannot be stored. */
function acceptedOf(
  item: LogItem,
  context: Context,
  tally: Tally,
  { book, refuse }: Reading,
): readonly LogRecord[] {
  try {
    return recordsOf(item, context, tally, book);
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    refuse(error);
    return NONE;
  }
}

const NONE: readonly LogRecord[] = [];

interface Context extends RecordContext {
  /** What the references to the rows of an evaluation begin with. */
  readonly references: Map<string, string>;
}

function lateScoreRecords(score: LogScore, context: RecordContext, tally: Tally): readonly LogRecord[] {
  tally.scorer(score);
  const record = scoreCall(context, tally.find(score.evaluation.id), score);
  return [{ kind: "calls", record, place: score.place }];
}

function recordsOf(item: LogItem, context: Context, tally: Tally, book: ScoreBook): readonly LogRecord[] {
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
      return trialRecords(item.trial, item.isAgain === true, context, tally, book);
    case "score":
      checkTime(item.score.startedAt, item.score.place);
      if (item.isAgain !== true)
        book.add(item.score.evaluation.id, item.score.sample, { [item.score.key]: item.score.value });
      return lateScoreRecords(item.score, context, tally);
    case "overview":
      tally.overview(item.evaluation);
      return NONE;
    case "call":
    case "row":
      tally.written++;
      return [{ ...item, kind: item.kind === "call" ? "calls" : "rows" }];
  }
}

/** A row comes once a source: of several spellings of what is not stable, the first. */
function trialRecords(
  trial: LogTrial,
  isAgain: boolean,
  context: Context,
  tally: Tally,
  book: ScoreBook,
): LogRecord[] {
  const { place } = trial;
  checkTrial(trial);
  const { digest, record, details } = rowRecord(context, trial);
  const evaluation = tally.find(trial.evaluation.id);
  const example = `${referencesOf(evaluation, context)}${digest}`;
  const named = trialId(evaluation.id, trial.sample, trial.trial);
  const id = isAgain ? named : tally.newTrial(named);
  const calls = trialCalls(context, evaluation, trial, { id, example, details });
  const records: LogRecord[] = calls.map((call) => ({ kind: "calls", record: call, place }));
  // One sample id may be asked two things; these are two rows.
  if (!isAgain) book.add(trial.evaluation.id, `${trial.sample}\0${digest}`, trial.scores);
  if (tally.trial(trial, digest, isAgain)) records.unshift({ kind: "rows", record, place });
  return records;
}

function referencesOf({ id, task }: LogEvaluation, { projectId, format, references }: Context): string {
  const known = references.get(id) ?? rowReferences(projectId, format, task);
  references.set(id, known);
  return known;
}
