import { givenMembers } from "../../import/translate/table-mapping.ts";
import path from "node:path";
import { ImportError, IngestError } from "../../errors.ts";
import type { RejectedTrial, ImportResult } from "../../import/translate/import-result.ts";
import { createScoreBook, NO_BOOK } from "../../import/check/score-book.ts";
import type { LogSource, ReadContext } from "../../import/format.ts";
import type { SourceFault } from "../../import/read/fault.ts";
import type { SourceFile } from "../../import/read/source-file.ts";
import { Tally } from "../../import/translate/tally.ts";
import type { LogItem, LogRecord } from "../../import/translate/log-parts.ts";
import { translateLog } from "../../import/translate/translate-log.ts";
import { noCounts } from "../../ingest/counts.ts";
import { createLoader, type Loader } from "../../ingest/loader.ts";
import type { RecordSource } from "../../ingest/formats/record-source.ts";
import { InvalidRecord } from "../../ingest/record/invalid-record.ts";
import type { LoadContext } from "../base/load-context.ts";
import { invalidOption } from "../../flow/check-options.ts";
import { openSources, othersNote } from "../../import/sources/open-sources.ts";
import { checkImport, type ImportOptions } from "./import-options.ts";
import {
  importError,
  openRecognised,
  type ImportSource,
  type KnownSource,
} from "../../import/sources/recognised-sources.ts";
import { logRecords, recordChecker, storingNothing } from "../../import/log-records.ts";
import { openManyFiles } from "../../import/sources/run-files.ts";
import { otherFiles, watchedSource } from "../../import/sources/source-folder.ts";
import { parquetFileColumns, parquetFileTexts } from "./parquet-file.ts";
import { LikelyAttempts } from "../../import/runs/likely-attempts.ts";
import { RunMerge } from "../../import/runs/merge-runs.ts";
import { StoredStays } from "../../import/runs/keep-stored.ts";
import { RunPlaces, type NamedParts } from "../../import/runs/place-runs.ts";
import { fileNames } from "../../import/translate/file-names.ts";
import { SheetsWithout } from "../../import/sources/sheets-without.ts";

/** Imports each source in a transaction of its own, and to the last of them: one that is refused costs itself alone. */
export async function importEvaluations(
  context: LoadContext,
  loader: Loader,
  source: ImportSource,
  options: ImportOptions,
): Promise<ImportResult[]> {
  checkImport(options);
  const { found, close } = await openSources(source, { ...options, parquetColumns: columnsWith(context) });
  const names = fileNames(found.sources.map(({ name }) => name));
  const command = { ...context, loader, parts: new Map(), names, attempts: new LikelyAttempts() };
  const results: ImportResult[] = [];
  const sheets = new SheetsWithout();
  const refused: ImportError[] = [];
  try {
    for (const one of found.sources) {
      const result = await importOne(command, one, options);
      if (sheets.takes(one, result)) continue;
      if (result instanceof ImportError) refused.push(result);
      else {
        results.push(result);
        options.onSource?.(result);
      }
    }
  } finally {
    await close();
  }
  refused.push(...sheets.refusals());
  for (const note of [...found.notes, ...sheets.notes(), ...othersNote(found.others)]) options.onNote?.(note);
  const [first] = refused;
  if (first === undefined) return results;
  const { code, source: name, place, reason } = first;
  throw new ImportError(code, name, place, reason, { cause: first, refused, results });
}

/** What the sources of one command share. */
interface ImportContext extends LoadContext {
  readonly parts: NamedParts;
  readonly names: ReturnType<typeof fileNames>;
  readonly attempts: LikelyAttempts;
}

function columnsWith({ parquet }: LoadContext) {
  return (file: SourceFile) => parquetFileColumns(parquet, file);
}

/** The result of a source, or why nothing of it was stored. */
async function importOne(
  context: ImportContext,
  source: KnownSource,
  options: ImportOptions,
): Promise<ImportResult | ImportError> {
  const opened: SourceFile[] = [];
  try {
    const { file, head } =
      (await openManyFiles(source)) ??
      (await openRecognised(source, { ...options, parquetColumns: columnsWith(context) }));
    opened.push(file);
    if (options.project === undefined && source.format.keepsProjects !== true)
      throw invalidOption(
        `${source.name} does not say its project: name it (--project, or the option project)`,
      );
    const others = otherFiles(source.name, source.folder, head, opened, options.signal);
    const { parts = [] } = source;
    return await readAndStore(context, source, { file, head, ...others, parts }, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    for (const [id, part] of context.parts) if (part.source === source.name) context.parts.delete(id);
    const fault = importError(source.name, error);
    if (!(fault instanceof ImportError)) throw fault;
    return isLeftOut(source, fault, options) ? leftOut(source, fault) : fault;
  } finally {
    for (const file of opened) await file.close();
  }
}

/**
 * Whether a source is left out and not refused: it was not named, and holds nothing, is perhaps no table, or may be
 * skipped.
 */
function isLeftOut({ isNamed }: KnownSource, { code }: ImportError, { onInvalid }: ImportOptions): boolean {
  if (isNamed || code === "check_failed") return false;
  return code === "no_samples" || code === "ambiguous_mapping" || onInvalid === "skip";
}

/** The result of a source that is left out. */
function leftOut({ name, format }: KnownSource, { code, place, reason }: ImportError): ImportResult {
  const isEmpty = code === "no_samples";
  return {
    source: name,
    format: format.name,
    tool_version: null,
    evaluations: [],
    received: 0,
    stored: 0,
    unchanged: 0,
    rejected: isEmpty ? [] : [{ source: name, place, reason }],
    checks: { agree: 0, differ: [], unchecked: [] },
    notes: isEmpty ? [reason] : [],
  };
}

async function readAndStore(
  context: ImportContext,
  source: KnownSource,
  log: LogSource,
  options: ImportOptions,
): Promise<ImportResult> {
  const { name, format } = source;
  const shown = context.names.get(name)?.shown ?? name;
  const tally = new Tally(shown, options.check !== "off", options.onMapping);
  const rejected: RejectedTrial[] = [];
  const reading = readContext(context, options, source, log.head, rejected);
  const counted = { bytes: 0 };
  const onBytes = (bytes: number) => {
    options.signal?.throwIfAborted();
    counted.bytes += bytes;
  };
  const watchedLog = watchedSource(log, onBytes);
  const items = format.read(watchedLog, reading);
  const stays = new StoredStays(context.stored(options.project ?? ""));
  const all = recordsOf(context, items, { source, log: watchedLog, tally, reading, counted }, options);
  const records = format.keepsStored === true ? stays.kept(all) : all;
  const accept = () => refuseDifferences(tally, name, options);
  const counts = await store(context, logRecords(records, name, counted, accept), options);
  const alike = format.isOneAttempt === true ? context.attempts.note(shown, tally.attempts()) : null;
  return {
    source: name,
    format: format.name,
    tool_version: tally.toolVersion,
    evaluations: tally.imported(),
    received: counts.received + stays.left,
    stored: counts.stored,
    unchanged: counts.unchanged + stays.left,
    rejected,
    checks: tally.checks(),
    notes: [...tally.allNotes(), ...stays.notes(), ...(alike === null ? [] : [alike])],
    ...(tally.mapping === null ? {} : { mapping: tally.mapping }),
  };
}

interface SourceReading {
  readonly source: KnownSource;
  readonly log: LogSource;
  readonly tally: Tally;
  readonly reading: ReadContext;
  readonly counted: { readonly bytes: number };
}

/** The records of a source, merged into the runs that are stored. */
function recordsOf(
  context: ImportContext,
  items: AsyncIterable<LogItem>,
  { source, log, tally, reading, counted }: SourceReading,
  options: ImportOptions,
): AsyncIterable<readonly LogRecord[]> {
  const { parts } = context;
  const { name, format } = source;
  const title = context.names.get(name)?.title ?? name;
  const { project = "", rowBy = null, replace = false } = options;
  const note = (text: string) => tally.notes.add(text);
  const stored = context.stored(project);
  const places = new RunPlaces({ stored, name, title, log, parts, replace, note });
  const origin = { format: format.name, source: path.basename(name), title };
  const records = translateLog(items, { projectId: project, rowBy, ...origin }, tally, {
    ...reading,
    stored,
    bytes: () => counted.bytes,
    place: (evaluation, root) => places.place(evaluation, root),
    replaces: (root) => places.runs.get(root)?.replaces === true,
  });
  return new RunMerge({ stored, runs: places.runs, parts, source: name }).merged(records, note);
}

/** Loads the records of a source; a dry run is a load that stores nothing. */
async function store(
  { conventions, loader }: LoadContext,
  source: RecordSource,
  options: ImportOptions,
): Promise<Pick<ImportResult, "received" | "stored" | "unchanged">> {
  try {
    const { signal, onProgress } = options;
    const load = { source, options: { signal, onProgress }, alone: true, counts: noCounts() };
    if (options.dryRun !== true) return (await loader("mixed", load)).result;
    const { result } = await createLoader(storingNothing(), conventions)("mixed", load);
    return { ...result, stored: 0, unchanged: 0 };
  } catch (error) {
    throw refusal(source.name, error);
  }
}

function readContext(
  context: LoadContext,
  options: ImportOptions,
  { format, name }: KnownSource,
  head: LogSource["head"],
  rejected: RejectedTrial[],
): ReadContext {
  const skipsInvalid = options.onInvalid === "skip";
  return {
    book: format.statesNoFigures?.(head) === true ? NO_BOOK : createScoreBook(),
    refuse: (fault: SourceFault) => {
      if (!skipsInvalid) throw fault;
      rejected.push({ source: name, place: fault.place, reason: fault.message });
    },
    refused: () => rejected.length,
    allMetrics: options.allMetrics === true,
    // Sheets are chosen where sources are found.
    table: givenMembers({ ...options.table, sheet: undefined }),
    project: options.project ?? null,
    checkRecord: recordChecker(context.conventions),
    readParquet: (file) => parquetFileTexts(context.parquet, file),
  };
}

function refuseDifferences(tally: Tally, name: string, { check }: ImportOptions): void {
  if (check !== "fail") return;
  if (tally.partOf !== null) throw new ImportError("check_failed", name, null, tally.partOf);
  const [first, ...others] = tally.checks().differ.filter((figure) => figure.explained_by === undefined);
  if (first === undefined) return;
  const { scorer_key: key, path: inside, stat, stated, computed } = first;
  const what = [key, inside, stat].filter((part) => part !== null).join(" ");
  const more = others.length === 0 ? "" : `, and ${others.length} more figures differ`;
  throw new ImportError(
    "check_failed",
    name,
    null,
    `the log states ${what} ${stated}, its trials give ${computed}${more}`,
  );
}

/** A record that the loader refuses is a fault of the source. */
function refusal(name: string, error: unknown): unknown {
  if (!(error instanceof IngestError)) return error;
  const { position, path: inside, cause } = error;
  const place = [`record ${position}`, ...(inside.length === 0 ? [] : [inside.join(".")])].join(", ");
  const reason = cause instanceof InvalidRecord ? cause.reason : error.message;
  return new ImportError("invalid", name, place, reason, { cause: error });
}
