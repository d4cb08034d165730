import path from "node:path";
import { EvalcubeError, ImportError, IngestError } from "../../errors.ts";
import type { RejectedTrial, ImportResult } from "../../import/translate/import-result.ts";
import { createScoreBook, NO_BOOK } from "../../import/check/score-book.ts";
import type { Format, LogSource, ReadContext } from "../../import/format.ts";
import type { SourceFault } from "../../import/read/fault.ts";
import type { SourceFile } from "../../import/read/source-file.ts";
import { Tally } from "../../import/translate/tally.ts";
import type { LogItem } from "../../import/translate/log-parts.ts";
import { translateLog, type LogRecord } from "../../import/translate/translate-log.ts";
import { noCounts } from "../../ingest/counts.ts";
import type { Loader } from "../../ingest/loader.ts";
import type { RecordSource } from "../../ingest/formats/record-source.ts";
import { InvalidRecord } from "../../ingest/record/invalid-record.ts";
import type { LoadContext } from "../context.ts";
import { invalidOption } from "../flow/check-options.ts";
import { findSources } from "./find-sources.ts";
import { checkImport, type ImportOptions } from "./import-options.ts";
import {
  formatOf,
  importError,
  openBytes,
  openRecognised,
  recogniseFiles,
  type ImportSource,
  type KnownSource,
} from "./recognised-sources.ts";
import { checkRecords, logRecords, recordChecker } from "./log-records.ts";
import { otherFiles, watchedSource } from "./other-files.ts";
import { RunMerge } from "./merge-runs.ts";
import { parquetFileTexts } from "./parquet-file.ts";
import { RunPlaces, type NamedParts } from "./place-runs.ts";
import { StoredRuns } from "./stored-runs.ts";

/** Imports each source in a transaction of its own. */
export async function importEvaluations(
  context: LoadContext,
  loader: Loader,
  source: ImportSource,
  options: ImportOptions,
): Promise<ImportResult[]> {
  checkImport(options);
  const { sources, others } = await sourcesOf(source, options);
  const parts: NamedParts = new Map();
  const results: ImportResult[] = [];
  for (const one of sources) {
    const notes = one === sources[0] ? othersNote(others) : [];
    const result = await importOne({ ...context, loader, parts }, one, options, notes);
    results.push(result);
    options.onSource?.(result);
  }
  return results;
}

async function sourcesOf(source: ImportSource, options: ImportOptions) {
  if (typeof source === "object" && source !== null && "name" in source) {
    if (typeof source.name !== "string" || typeof (source.bytes ?? source.stream) !== "object")
      throw noSource();
    return await bytesSource(source, options);
  }
  const names = typeof source === "string" ? [source] : source;
  if (!Array.isArray(names) || names.length === 0 || names.some((name) => typeof name !== "string"))
    throw noSource();
  const files = [];
  for (const name of names) files.push(...(await findSources(name)));
  const found = await recogniseFiles(files, options);
  if (found.sources.length > 0) return found;
  throw new ImportError(
    "unrecognised",
    names.join(", "),
    null,
    `no file is recognised: ${listed(found.others)}`,
  );
}

function noSource(): EvalcubeError {
  return new EvalcubeError(
    "invalid_source",
    "a source is a path, a list of paths, { bytes, name } or { stream, name }; bytes are a Uint8Array",
  );
}

async function bytesSource(
  source: Exclude<ImportSource, string | readonly string[]>,
  options: ImportOptions,
) {
  const { name } = source;
  const file = await openBytes(source, options.signal);
  const open = () => Promise.resolve(file);
  const opened = await openRecognised(open, name, options);
  try {
    const format = formatOf(opened, name, options);
    return {
      sources: [{ name, isNamed: true, folder: null, format, open: () => Promise.resolve(opened.file) }],
      others: [],
    };
  } catch (error) {
    await opened.file.close();
    throw error;
  }
}

const NAMES_SHOWN = 5;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).map((name) => path.basename(name));
  return [...shown, ...(names.length > NAMES_SHOWN ? ["…"] : [])].join(", ");
}

function othersNote(others: readonly string[]): string[] {
  if (others.length === 0) return [];
  const count = others.length === 1 ? "1 file was" : `${others.length} files were`;
  return [`${count} not recognised: ${listed(others)}`];
}

/** What the sources of one command share. */
interface ImportContext extends LoadContext {
  readonly parts: NamedParts;
}

async function importOne(
  context: ImportContext,
  source: KnownSource,
  options: ImportOptions,
  notes: readonly string[],
): Promise<ImportResult> {
  const opened: SourceFile[] = [];
  try {
    const { file, head } = await openRecognised(source.open, source.name, options);
    opened.push(file);
    if (options.project === undefined && source.format.keepsProjects !== true)
      throw invalidOption(
        `${source.name} does not say its project: name it (--project, or the option project)`,
      );
    const others = otherFiles(source.name, head, opened, options.signal);
    return await readAndStore(context, source, { file, head, ...others }, options, notes);
  } catch (error) {
    options.signal?.throwIfAborted();
    const fault = importError(source.name, error);
    if (source.isNamed || !(fault instanceof ImportError)) throw fault;
    // Any file of cells in a folder may look like a table.
    if (options.onInvalid !== "skip" && fault.code !== "ambiguous_mapping")
      throw inFolder(fault, options.dryRun === true);
    return failed(source, fault, notes);
  } finally {
    for (const file of opened) await file.close();
  }
}

/** The same fault of a source that was found in a folder, with what has become of the others. */
function inFolder(fault: ImportError, isDryRun: boolean): ImportError {
  const { code, source, place, reason } = fault;
  const others = `the sources before it are ${isDryRun ? "sound" : "stored"}, and skipping what is invalid leaves it out`;
  return new ImportError(code, source, place, `${reason} (${others})`, { cause: fault });
}

/** The result of a source of a folder that is left out. */
function failed({ name, format }: KnownSource, fault: ImportError, notes: readonly string[]): ImportResult {
  return {
    source: name,
    format: format.name,
    tool_version: null,
    evaluations: [],
    received: 0,
    stored: 0,
    unchanged: 0,
    rejected: [{ source: name, place: fault.place, reason: fault.reason }],
    checks: { agree: 0, differ: [], unchecked: [] },
    notes,
  };
}

async function readAndStore(
  context: ImportContext,
  source: KnownSource,
  log: LogSource,
  options: ImportOptions,
  notes: readonly string[],
): Promise<ImportResult> {
  const { name, format } = source;
  const tally = new Tally(options.check !== "off", options.onMapping);
  const rejected: RejectedTrial[] = [];
  const reading = readContext(context, options, source, log.head, rejected);
  const counted = { bytes: 0 };
  const onBytes = (bytes: number) => {
    options.signal?.throwIfAborted();
    counted.bytes += bytes;
  };
  const watchedLog = watchedSource(log, onBytes);
  const items = format.read(watchedLog, reading);
  const records = recordsOf(context, items, { source, log: watchedLog, tally, reading }, options);
  const accept = () => refuseDifferences(tally, name, options);
  const counts = await store(context, logRecords(records, name, counted, accept), options);
  return {
    source: name,
    format: format.name,
    tool_version: tally.toolVersion,
    evaluations: tally.imported(),
    received: counts.received,
    stored: counts.stored,
    unchanged: counts.unchanged,
    rejected,
    checks: tally.checks(),
    notes: [...notes, ...tally.allNotes()],
    ...(tally.mapping === null ? {} : { mapping: tally.mapping }),
  };
}

interface SourceReading {
  readonly source: KnownSource;
  readonly log: LogSource;
  readonly tally: Tally;
  readonly reading: ReadContext;
}

/** The records of a source, merged into the runs that are stored. */
function recordsOf(
  context: ImportContext,
  items: AsyncIterable<LogItem>,
  { source, log, tally, reading }: SourceReading,
  options: ImportOptions,
): AsyncIterable<readonly LogRecord[]> {
  const { parts } = context;
  const { name, format } = source;
  const { project = "", replace = false } = options;
  const note = (text: string) => tally.notes.add(text);
  const stored = new StoredRuns(context.store, project);
  const places = new RunPlaces(stored, log, source, { parts, replace, note });
  const records = translateLog(items, contextOf(name, format, options), tally, {
    ...reading,
    place: (evaluation, root) => places.place(evaluation, root),
  });
  return new RunMerge(stored, places.runs, { parts, source: name }).merged(records, note);
}

function contextOf(name: string, { name: format }: Format, { project, rowBy }: ImportOptions) {
  return { projectId: project ?? "", format, source: path.basename(name), rowBy: rowBy ?? null };
}

/** Loads the records of a source; a dry run reads them only. */
async function store(
  { conventions, loader }: LoadContext,
  source: RecordSource,
  options: ImportOptions,
): Promise<Pick<ImportResult, "received" | "stored" | "unchanged">> {
  try {
    if (options.dryRun === true) return await checkRecords(source, conventions, options);
    const load = { source, options: loadOptions(options), alone: true, counts: noCounts() };
    return (await loader("mixed", load)).result;
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
    skipsInvalid,
    allMetrics: options.allMetrics === true,
    table: options.table ?? {},
    project: options.project ?? null,
    checkRecord: recordChecker(context.conventions),
    readParquet: (file) => parquetFileTexts(context.parquet, file),
  };
}

function loadOptions({ signal, onProgress }: ImportOptions) {
  return { ...(signal === undefined ? {} : { signal }), ...(onProgress === undefined ? {} : { onProgress }) };
}

function refuseDifferences(tally: Tally, name: string, { check }: ImportOptions): void {
  const [first, ...others] = tally.checks().differ;
  if (check !== "fail" || first === undefined) return;
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
