import path from "node:path";
import type { LogSource } from "../../import/format.ts";
import { watched, type SourceFile } from "../../import/read/source-file.ts";
import { unpacked } from "../../import/read/unpack.ts";
import type { Head } from "../../import/recognise/head.ts";
import type { SourceFolder } from "./source-folder.ts";

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

function nullIfMissing(error: unknown): null {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
  throw error;
}

/** The same source; `onBytes` is called with the number of bytes of each piece of any of its files, and may throw to stop. */
export function watchedSource(source: LogSource, onBytes: (bytes: number) => void): LogSource {
  return {
    ...source,
    file: watched(source.file, onBytes),
    beside: async (name) => watched(await source.beside(name), onBytes),
    nearby: async (paths) => {
      const found = await source.nearby(paths);
      return found === null ? null : watched(found, onBytes);
    },
  };
}
