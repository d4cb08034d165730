import path from "node:path";
import { EvalcubeError, ImportError } from "../../errors.ts";
import type { Format, SourcePart } from "../format.ts";
import { IMPORT_FORMATS } from "../formats/formats.ts";
import { SourceFault } from "../read/fault.ts";
import { memoryFile, type SourceFile } from "../read/source-file.ts";
import { nameList, fileFault } from "../../model/messages.ts";
import { spool, unpacked } from "../read/unpack.ts";
import type { TableMapping } from "../translate/table-mapping.ts";
import { isWorkbook } from "../workbook/workbook.ts";
import { joinRuns, runFileOf, type RunFile } from "./run-files.ts";
import { joinTrialFiles, type TrialFile } from "./trial-files.ts";
import { workbookFolder } from "./workbook-folder.ts";
import type { ZipEntry } from "../read/zip-entry.ts";
import { readHead, type Head } from "../recognise/head.ts";
import { adviceFor, isDamaged, whyUnrecognised } from "../recognise/near-misses.ts";
import type { FoundFile } from "./find-sources.ts";
import { DISK, type SourceFolder, zipFolder } from "./source-folder.ts";

/** Bytes from elsewhere, with a name for messages. */
export interface NamedBytes {
  /** Name of the source in messages. */
  readonly name: string;
  /** The bytes; or `stream`. */
  readonly bytes?: Uint8Array | undefined;
  /** The bytes as they arrive; they are kept in a temporary file during the import. */
  readonly stream?: AsyncIterable<Uint8Array> | undefined;
}

/** What an import reads: a path, a folder or a pattern, several of them, or bytes. */
export type ImportSource = string | readonly string[] | NamedBytes;

/** A source whose format is known; it is opened when its turn comes. */
export interface KnownSource {
  readonly name: string;
  readonly isNamed: boolean;
  readonly format: Format;
  readonly folder: SourceFolder;
  /** The workbook that it is a sheet of. */
  readonly workbook?: string;
  /** The files of a run of many. */
  readonly parts?: readonly SourcePart[];
  readonly run?: string;
}

/** What was found among some files. */
export interface FoundSources {
  readonly sources: KnownSource[];
  /** Names of files that are not recognised. */
  readonly others: string[];
  /** What is to be said of files that come close to a source. */
  readonly notes: string[];
  /** Files of one trial, which may be sources together. */
  readonly trials: TrialFile[];
  /** Files that make runs together. */
  readonly runs: RunFile[];
}

/** What of the options of an import its sources need. */
export interface RecogniseOptions {
  readonly format?: string | undefined;
  readonly onInvalid?: "fail" | "skip" | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly table?: Pick<TableMapping, "sheet"> | undefined;
  /** The types of the columns of a Parquet file by their names. */
  readonly parquetColumns: (file: SourceFile) => Promise<ReadonlyMap<string, string>>;
}

/** Opens a file with what is known of it; whoever calls closes it. Throws `ImportError`. */
export async function openRecognised(
  { name, folder }: Pick<KnownSource, "name" | "folder">,
  options: RecogniseOptions,
) {
  let file: SourceFile | null = null;
  try {
    file = await unpacked(await folder.open(name), options.signal);
    const place = await folder.place(name);
    return { file, head: await readHead(file, place, options.onInvalid === "skip", options.parquetColumns) };
  } catch (error) {
    await file?.close();
    throw importError(name, error);
  }
}

/** The name of the format of the logs that a file is one of; null where it is none. */
export async function formatOfFile(
  name: string,
  parquetColumns: RecogniseOptions["parquetColumns"],
): Promise<string | null> {
  const { file, head } = await openRecognised({ name, folder: DISK }, { parquetColumns });
  await file.close();
  return IMPORT_FORMATS.find((format) => format.recognises(head))?.name ?? null;
}

/** The format of a file; null where it is none that is known. */
function formatOf(head: Head, { format = "auto" }: RecogniseOptions): Format | null {
  const asked = IMPORT_FORMATS.find(({ name }) => name === format);
  if (asked !== undefined) return asked.files === undefined ? asked : null;
  return adviceFor(head) === null ? (IMPORT_FORMATS.find((one) => one.recognises(head)) ?? null) : null;
}

/**
 * Finds the format of each file, and of what is in zip archives. A file that was named and is not recognised fails when
 * its turn comes.
 */
export async function recogniseFiles(
  files: readonly FoundFile[],
  options: RecogniseOptions,
): Promise<FoundSources> {
  const found: FoundSources = { sources: [], others: [], notes: [], trials: [], runs: [] };
  const claimed = new Set<string>();
  for (const file of files) await recognise(file, options, found, claimed);
  const { runs, isOwned } = joinRuns(found.runs);
  const damaged = found.runs.flatMap(({ fault, path: name, isNamed, folder }) =>
    fault === null ? [] : [{ name, isNamed, folder, format: failing(fault) }],
  );
  const trials = found.trials.filter((one) => !isOwned(one.path));
  for (const { path: name, ...joined } of joinTrialFiles(trials)) found.sources.push({ ...joined, name });
  const isFree = (name: string) => !claimed.has(path.normalize(name)) && !isOwned(name);
  return {
    sources: [...found.sources.filter(({ name }) => isFree(name)), ...damaged, ...runs],
    others: found.others.filter(isFree),
    notes: found.notes,
    trials: [],
    runs: [],
  };
}

async function recognise(
  { path: name, isNamed, folder }: FoundFile,
  options: RecogniseOptions,
  found: FoundSources,
  claimed: Set<string>,
): Promise<void> {
  options.signal?.throwIfAborted();
  const add = (format: Format) => found.sources.push({ name, isNamed, format, folder });
  try {
    const { file, head } = await openRecognised({ name, folder }, options);
    await file.close();
    if (isWorkbook(head.zip) && folder.isArchive !== true && TABLES.has(options.format ?? "auto")) {
      await recogniseSheets(head.zip, { path: name, isNamed, folder }, options, found, claimed);
      return;
    }
    const ofRun = runFileOf({ path: name, isNamed, folder }, formatsFor(options), head);
    if (found.runs.push(...ofRun) > 0 && ofRun.some(({ run }) => run !== null)) return;
    const format = formatOf(head, options);
    const advice = format === null ? adviceFor(head) : null;
    const ofTrial = IMPORT_FORMATS.find((one) => one.holdsOneTrial?.(head) === true);
    const unrecognised = () => {
      if (isNamed) add(failing(new ImportError("unrecognised", name, null, whyUnrecognised(head))));
      else if (advice !== null) found.notes.push(`${name}: ${advice}`);
      else found.others.push(name);
    };
    if (ofTrial !== undefined && (format ?? ofTrial) === ofTrial && TABLES.has(options.format ?? "auto")) {
      const alone = format === null ? unrecognised : () => add(format);
      found.trials.push({ path: name, isNamed, folder, format: ofTrial, alone });
    } else if (format !== null) {
      add(format);
      for (const other of format.claims?.(head) ?? []) claimed.add(path.join(path.dirname(name), other));
    } else if (isDamaged(head)) add(failing(new ImportError("truncated", name, null, whyUnrecognised(head))));
    else if (head.zip !== null && advice === null && folder.isArchive !== true)
      await recogniseMembers(head.zip, { path: name, isNamed, folder }, options, found, claimed);
    else unrecognised();
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    add(failing(error));
  }
}

/** The formats that a file may have. */
function formatsFor({ format: asked = "auto" }: RecogniseOptions): readonly Format[] {
  return asked === "auto" ? IMPORT_FORMATS : IMPORT_FORMATS.filter(({ name }) => name === asked);
}

/** Formats that the sheets of a workbook can have. */
const TABLES: ReadonlySet<string> = new Set(["auto", "table", "evalcube"]);

/** Finds the tables in a workbook, which is a folder of sheets. */
async function recogniseSheets(
  entries: ReadonlyMap<string, ZipEntry>,
  { path: name, folder: around }: FoundFile,
  options: RecogniseOptions,
  found: FoundSources,
  claimed: Set<string>,
): Promise<void> {
  const file = await unpacked(await around.open(name), options.signal);
  try {
    const asked = options.table?.sheet ?? [];
    const { names, folder, notes } = await workbookFolder({ ...file, name }, entries, {
      openAgain: async () => await unpacked(await around.open(name), options.signal),
      asked: typeof asked === "string" ? [asked] : asked,
    });
    const inside: FoundSources = { sources: [], others: [], notes: found.notes, trials: [], runs: [] };
    for (const sheet of names)
      await recognise({ path: sheet, isNamed: false, folder }, options, inside, claimed);
    const without = inside.others.map((sheet): KnownSource => {
      const format = failing(new ImportError("no_samples", sheet, null, "holds no table"));
      return { name: sheet, isNamed: false, folder, format };
    });
    for (const one of [...inside.sources, ...without]) found.sources.push({ ...one, workbook: name });
    found.notes.push(...notes.map((note) => `${name}${note}`));
  } catch (error) {
    throw importError(name, error);
  } finally {
    await file.close();
  }
}

/** Finds the sources in a zip archive, which is a folder of files. */
async function recogniseMembers(
  entries: ReadonlyMap<string, ZipEntry>,
  { path: name, isNamed, folder: around }: FoundFile,
  options: RecogniseOptions,
  found: FoundSources,
  claimed: Set<string>,
): Promise<void> {
  const { sources, others } = found;
  const known = () => sources.length + found.runs.length;
  const [before, othersBefore] = [known(), others.length];
  const openArchive = async () => await unpacked(await around.open(name), options.signal);
  const { names, folder } = zipFolder(name, openArchive, entries);
  for (const member of names)
    await recognise({ path: member, isNamed: false, folder }, options, found, claimed);
  if (known() > before) return;
  others.length = othersBefore;
  const reason = `is a zip archive without a file that can be imported: ${nameList([...entries.keys()])}`;
  if (!isNamed) found.notes.push(`${name}: ${reason}`);
  else
    sources.push({
      name,
      isNamed,
      folder: around,
      format: failing(new ImportError("unrecognised", name, null, reason)),
    });
}

/** A file that is broken, or is none, fails when its turn comes: the others are stored. */
function failing(error: ImportError): Format {
  return {
    name: "unknown",
    keepsProjects: true,
    recognises: () => false,
    read: () => {
      throw error;
    },
  };
}

/** Opens bytes from elsewhere; a stream is written to a temporary file. */
export async function openBytes(source: NamedBytes, signal: AbortSignal | undefined): Promise<SourceFile> {
  const { bytes, stream, name } = source;
  if (bytes !== undefined) return memoryFile(bytes, name);
  if (stream !== undefined) return await spool(stream, name, signal);
  throw new EvalcubeError("invalid_source", "a source of bytes has bytes or stream beside its name");
}

const LONGEST_REASON = 300;

/** A reason as one line of at most 300 bytes, which leaves room for the name of the source. */
function oneLine(reason: string): string {
  const line = reason.replaceAll(/\s+/g, " ");
  if (Buffer.byteLength(line) <= LONGEST_REASON) return line;
  const half = LONGEST_REASON / 2 - 2;
  return `${cutBytes(line, half)} … ${cutBytes(line, -half)}`;
}

function cutBytes(text: string, bytes: number): string {
  const all = Buffer.from(text);
  return (bytes > 0 ? all.subarray(0, bytes) : all.subarray(bytes)).toString().replaceAll("\u{FFFD}", "");
}

/** A fault of a source as the error that callers see; other errors stay. */
export function importError(name: string, error: unknown): unknown {
  if (error instanceof SourceFault)
    return new ImportError(error.code, name, error.place, oneLine(error.message), { cause: error });
  if (error instanceof Error && "syscall" in error)
    return new ImportError("invalid", name, null, `cannot be read: ${fileFault(error)}`, { cause: error });
  if (error instanceof EvalcubeError && error.code === "no_source")
    return new ImportError("invalid", name, null, error.message.replace(`${name}: `, ""), { cause: error });
  return error;
}
