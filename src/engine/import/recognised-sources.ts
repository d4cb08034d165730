import { readdir } from "node:fs/promises";
import path from "node:path";
import { EvalcubeError, ImportError } from "../../errors.ts";
import type { Format } from "../../import/format.ts";
import { IMPORT_FORMATS } from "../../import/formats/formats.ts";
import { SourceFault } from "../../import/read/fault.ts";
import { memoryFile, openSourceFile, type SourceFile } from "../../import/read/source-file.ts";
import { spool, unpacked } from "../../import/read/unpack.ts";
import { NOWHERE, readHead, type Head, type Place } from "../../import/recognise/head.ts";
import { adviceFor, endsEarly, isOfCalls } from "../../import/recognise/near-misses.ts";
import { fileFault } from "../../model/messages/file-fault.ts";
import type { ImportOptions } from "./import-options.ts";
import { distinctFolders } from "./distinct-folders.ts";
import type { FoundFile } from "./find-sources.ts";

/** Bytes from elsewhere, with a name for messages. */
export interface NamedBytes {
  /** Name of the source in messages. */
  readonly name: string;
  /** The bytes; or `stream`. */
  readonly bytes?: Uint8Array;
  /** The bytes as they arrive; they are kept in a temporary file during the import. */
  readonly stream?: AsyncIterable<Uint8Array>;
}

/** What an import reads: a path, a folder or a pattern, several of them, or bytes. */
export type ImportSource = string | readonly string[] | NamedBytes;

/** A source whose format is known; it is opened when its turn comes. */
export interface KnownSource {
  readonly name: string;
  readonly isNamed: boolean;
  /** The folders that tell it apart from sources of the same name; null where there is no need. */
  readonly folder: string | null;
  readonly format: Format;
  readonly open: () => Promise<SourceFile>;
}

/** A source whose content is open. */
interface OpenedSource {
  readonly file: SourceFile;
  readonly head: Head;
}

/** Opens a file with what is known of it; whoever calls closes it. Throws `ImportError`. */
export async function openRecognised(
  open: () => Promise<SourceFile>,
  name: string,
  options: ImportOptions,
): Promise<OpenedSource> {
  let file: SourceFile | null = null;
  try {
    const opened = await open();
    file = await unpacked(opened, options.signal);
    const place = opened.path === name ? await placeOf(name) : NOWHERE;
    return { file, head: await readHead(file, place, options.onInvalid === "skip") };
  } catch (error) {
    await file?.close();
    throw importError(name, error);
  }
}

async function placeOf(name: string): Promise<Place> {
  const folder = path.dirname(path.resolve(name));
  return {
    folders: folder.split(path.sep).filter((part) => part !== ""),
    siblings: await readdir(folder),
  };
}

/** The format of a file; throws where it is none. */
export function formatOf({ head }: OpenedSource, name: string, options: ImportOptions): Format {
  const { format = "auto" } = options;
  const found = IMPORT_FORMATS.find((one) =>
    format === "auto" ? one.recognises(head) : one.name === format,
  );
  const advice = format === "auto" ? adviceFor(head) : null;
  if (found !== undefined && advice === null) return found;
  if (advice !== null) throw new ImportError("unrecognised", name, null, advice);
  throw new ImportError("unrecognised", name, null, whyUnrecognised(head));
}

function whyUnrecognised(head: Head): string {
  if (head.size === 0) return "is empty";
  if (endsEarly(head))
    return "is JSON that ends in the middle, so its format is not recognised; the file is truncated";
  if (isOfCalls(head)) return "holds calls, which evalcube ingest loads (in a program, ingestCalls)";
  return `is none of the formats that can be imported: ${IMPORT_FORMATS.map((one) => one.name).join(", ")}`;
}

/** Finds the format of each file. Files that were not named and are not recognised are given back by their names. */
export async function recogniseFiles(
  files: readonly FoundFile[],
  options: ImportOptions,
): Promise<{ readonly sources: KnownSource[]; readonly others: string[] }> {
  const sources: KnownSource[] = [];
  const others: string[] = [];
  const claimed = new Set<string>();
  const folders = distinctFolders(files.map((one) => one.path));
  for (const { path: file, isNamed } of files) {
    options.signal?.throwIfAborted();
    const open = () => openSourceFile(file, file);
    try {
      const opened = await openRecognised(open, file, options);
      try {
        const format = formatOf(opened, file, options);
        sources.push({ name: file, isNamed, folder: folders.get(file) ?? null, format, open });
        for (const other of format.claims?.(opened.head) ?? [])
          claimed.add(path.join(path.dirname(file), other));
      } finally {
        await opened.file.close();
      }
    } catch (error) {
      if (isNamed || !(error instanceof ImportError)) throw error;
      if (error.code === "unrecognised") others.push(file);
      else sources.push({ name: file, isNamed, folder: null, format: unreadable(error), open });
    }
  }
  return {
    sources: sources.filter(({ name }) => !claimed.has(path.normalize(name))),
    others: others.filter((name) => !claimed.has(path.normalize(name))),
  };
}

/** A file that is broken before it is recognised fails when its turn comes: those before it are stored. */
function unreadable(error: ImportError): Format {
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

/** A fault of a source as the error that callers see; other errors stay. */
export function importError(name: string, error: unknown): unknown {
  if (error instanceof SourceFault)
    return new ImportError(error.code, name, error.place, error.message, { cause: error });
  if (error instanceof Error && "syscall" in error)
    return new ImportError("invalid", name, null, `cannot be read: ${fileFault(error)}`, { cause: error });
  return error;
}
