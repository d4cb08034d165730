import { readdir } from "node:fs/promises";
import path from "node:path";
import { memoryFile, openSourceFile, type SourceFile, watched } from "../read/source-file.ts";
import { spool, unpacked } from "../read/unpack.ts";
import { entryBytes, type ZipEntry } from "../read/zip-entry.ts";
import { type Head, NOWHERE, type FilePlace } from "../recognise/head.ts";
import type { LogSource } from "../format.ts";

/** What opens files by their paths: the disk, a zip archive, or bytes from elsewhere. */
export interface SourceFolder {
  /** Whether it is a zip archive; archives in it are not opened. */
  readonly isArchive?: boolean;
  /** Fails with `ENOENT` where there is no such file. */
  readonly open: (name: string) => Promise<SourceFile>;
  /** Where a file lies. */
  readonly place: (name: string) => Promise<FilePlace>;
}

export const DISK: SourceFolder = {
  open: (name) => openSourceFile(name, name),
  place: async (name) => {
    const folder = path.dirname(path.resolve(name));
    return { folders: partsOf(folder), siblings: await readdir(folder) };
  },
};

/** Bytes that are there already; whoever made the file closes it. */
export function bytesFolder(file: SourceFile): SourceFolder {
  return {
    open: () => Promise.resolve({ ...file, close: () => Promise.resolve() }),
    place: () => Promise.resolve(NOWHERE),
  };
}

/** A member that is hidden, or was added by macOS. */
const HIDDEN = /(^|\/)(\.|__MACOSX\/)/;

const IN_MEMORY_BYTES = 4 * 1024 * 1024;

/**
 * What is in a zip archive: its members have names such as `logs.zip/a/b.json`, in the order of their names, and the
 * time of the archive, since theirs have no zone. Hidden ones are left out.
 */
export function zipFolder(
  archive: string,
  openArchive: () => Promise<SourceFile>,
  entries: ReadonlyMap<string, ZipEntry>,
): { readonly names: readonly string[]; readonly folder: SourceFolder } {
  const members = new Map(
    [...entries].map(([name, entry]) => [path.normalize(`${archive}/${name}`), entry] as const),
  );
  const open = async (name: string) => {
    const entry = members.get(path.normalize(name));
    if (entry === undefined)
      throw Object.assign(new Error(`${name}: no such file`), { code: "ENOENT", syscall: "open" });
    const file = await openArchive();
    const { modifiedAt } = file;
    try {
      if (entry.size > IN_MEMORY_BYTES)
        return { ...(await spool(entryBytes(file, entry), name)), modifiedAt };
      const pieces: Uint8Array[] = [];
      for await (const piece of entryBytes(file, entry)) pieces.push(piece);
      return { ...memoryFile(Buffer.concat(pieces), name), modifiedAt };
    } finally {
      await file.close();
    }
  };
  const siblings = new Map<string, string[]>();
  for (const name of members.keys()) {
    const inside = siblings.get(path.dirname(name)) ?? [];
    siblings.set(path.dirname(name), inside);
    inside.push(path.basename(name));
  }
  const place = (name: string) => {
    const inside = path.dirname(path.normalize(name));
    return Promise.resolve({ folders: partsOf(inside), siblings: siblings.get(inside) ?? [] });
  };
  const names = [...entries.keys()].filter((name) => !HIDDEN.test(name)).sort();
  return { names: names.map((name) => `${archive}/${name}`), folder: { isArchive: true, open, place } };
}

function partsOf(folder: string): string[] {
  return folder.split(path.sep).filter((part) => part !== "");
}

/** How a format opens the files around its source; `opened` takes those that are to be closed with it. */
export function otherFiles(
  source: string,
  folder: SourceFolder,
  { folders }: Head,
  opened: SourceFile[],
  signal: AbortSignal | undefined,
): Pick<LogSource, "beside" | "nearby"> {
  const open = async (name: string) => {
    const other = path.join(path.dirname(source), name);
    const found = await unpacked(await folder.open(other), signal);
    opened.push(found);
    return found;
  };
  return {
    beside: (name) => open(path.basename(name)),
    nearby: async (paths) => {
      for (const one of folders.length === 0 ? [] : paths) {
        const found = await open(one).catch(nullIfMissing);
        if (found !== null) return found;
      }
      return null;
    },
  };
}

/** Null for a file that is not there; any other error is thrown. */
export function nullIfMissing(error: unknown): null {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
  throw error;
}

/**
 * The same source; `onBytes` is called with the number of bytes of each piece of any of its files, and may throw to
 * stop.
 */
export function watchedSource(source: LogSource, onBytes: (bytes: number) => void): LogSource {
  return {
    ...source,
    file: watched(source.file, onBytes),
    beside: async (name) => watched(await source.beside(name), onBytes),
    nearby: async (paths) => {
      const found = await source.nearby(paths);
      return found === null ? null : watched(found, onBytes);
    },
    parts: source.parts.map((part) => ({
      ...part,
      open: async () => watched(await part.open(), onBytes),
      other: async (name) => {
        const found = await part.other(name);
        return found === null ? null : watched(found, onBytes);
      },
    })),
  };
}
