import { EvalcubeError, ImportError } from "../../errors.ts";
import { NOWHERE } from "../recognise/head.ts";
import { nameList } from "../../model/messages.ts";
import { fileNames } from "../translate/file-names.ts";
import { findSources, type FoundFile } from "./find-sources.ts";
import {
  openBytes,
  recogniseFiles,
  type FoundSources,
  type ImportSource,
  type RecogniseOptions,
} from "./recognised-sources.ts";
import { bytesFolder } from "./source-folder.ts";

/** The files of a path among others; what is not there fails when its turn comes. */
async function foundOf(name: string): Promise<FoundFile[]> {
  return await findSources(name).catch((error: unknown) => {
    const open = () => Promise.reject(error);
    return [{ path: name, isNamed: true, folder: { open, place: () => Promise.resolve(NOWHERE) } }];
  });
}

interface OpenSources {
  readonly found: FoundSources;
  readonly close: () => Promise<void>;
}

/** Finds the files of a source and recognises them. Throws {@link ImportError} where there is none. */
export async function openSources(source: ImportSource, options: RecogniseOptions): Promise<OpenSources> {
  if (typeof source === "object" && source !== null && "name" in source) {
    if (typeof source.name !== "string" || typeof (source.bytes ?? source.stream) !== "object")
      throw noSource();
    const file = await openBytes(source, options.signal);
    const files = [{ path: source.name, isNamed: true, folder: bytesFolder(file) }];
    return { found: await recogniseFiles(files, options), close: file.close };
  }
  const names = typeof source === "string" ? [source] : source;
  if (!Array.isArray(names) || names.length === 0 || names.some((name) => typeof name !== "string"))
    throw noSource();
  const files: FoundFile[] = [];
  for (const name of names) files.push(...(await (names.length === 1 ? findSources(name) : foundOf(name))));
  const found = await recogniseFiles(files, options);
  if (found.sources.length > 0) return { found, close: () => Promise.resolve() };
  const reason = [`no file is recognised: ${listed(found.others)}`, ...found.notes].join("; ");
  throw new ImportError("unrecognised", names.join(", "), null, reason);
}

function noSource(): EvalcubeError {
  return new EvalcubeError(
    "invalid_source",
    "a source is a path, a list of paths, { bytes, name } or { stream, name }; bytes are a Uint8Array",
  );
}

function listed(names: readonly string[]): string {
  return nameList(Array.from(fileNames(names).values(), ({ shown }) => shown));
}

/** Says which files are not recognised; nothing where all are. */
export function othersNote(others: readonly string[]): string[] {
  if (others.length === 0) return [];
  const count = others.length === 1 ? "1 file was" : `${others.length} files were`;
  return [`${count} not recognised: ${listed(others)}`];
}
