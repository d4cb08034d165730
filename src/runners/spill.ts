import { appendFileSync, existsSync, linkSync, renameSync, rmSync, truncateSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import type { CallRecord } from "../ingest/record/sent-records.ts";
import { writeJson } from "../model/json.ts";
import { atExit } from "./before-exit.ts";

/** A file that takes what a database does not. */
interface Spill {
  /** Resolves when the records are in the file, all of them. */
  readonly write: (records: readonly CallRecord[]) => Promise<void>;
  /** The file gets its name, by which it counts as complete; resolves to it, to null where there is none. */
  readonly close: () => Promise<string | null>;
}

/** Ends the last line of records that were written together: JSON allows a blank there. */
export const PARCEL_END = " \n";
/** An empty line at the end says that nothing is missing. */
export const FILE_END = `${PARCEL_END}\n`;

/**
 * Creates a file that is `part` while it is written, and `complete` at last, where that name is free, also where the
 * process ends by `process.exit`.
 */
export function createSpill(part: string, complete: string): Spill {
  let file: Promise<FileHandle> | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let writing = 0;
  let forget: (() => void) | null = null;
  const finish = () => {
    // What is torn is cut by who loads it.
    if (writing === 0) completeSync(part, complete);
  };
  const write = async (records: readonly CallRecord[]) => {
    forget ??= atExit(finish);
    const handle = await (file ??= open(part, "ax"));
    await handle.appendFile(`${records.map((record) => writeJson(record)).join("\n")}${PARCEL_END}`);
  };
  return {
    write: (records) => {
      writing++;
      const written = last.then(() => write(records)).finally(() => writing--);
      last = written.catch(() => undefined);
      return written;
    },
    close: async () => {
      await last;
      const handle = await file?.catch(() => null);
      try {
        await handle?.sync();
      } finally {
        await handle?.close();
        forget?.();
      }
      return handle == null ? null : completeSync(part, complete);
    },
  };
}

/**
 * Gives a file its last name, or the next free one; null where the file has gone. Cut to `size` where that is given.
 */
export function completeSync(part: string, complete: string, size?: number): string | null {
  if (!existsSync(part)) return null;
  if (size !== undefined) truncateSync(part, size);
  appendFileSync(part, "\n");
  for (let n = 2, name = complete; ; name = complete.replace(/(?=\.ndjson$)/, `.${n++}`)) {
    if (existsSync(name)) continue;
    try {
      // Unlike a new name, a link replaces nothing.
      linkSync(part, name);
      rmSync(part);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EEXIST") continue;
      renameSync(part, name);
    }
    return name;
  }
}
