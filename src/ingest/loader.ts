import type { Conventions } from "../model/conventions.ts";
import { createGroupCommit } from "../store/group-commit.ts";
import type { RecordKind } from "./formats/record-kind.ts";
import { callKind, mixedKind, ROW_KIND, type Kind } from "./kinds.ts";
import { readLoad, type Load, type ReadLoad } from "./read-load.ts";
import { writeLoads, type LoadResult } from "./write-loads.ts";
import type { StorableRecord, Writer, Writers } from "./writer.ts";

/** Loads one source of records; resolves when it is durable. `mixed` holds calls and dataset rows. */
export type Loader = (kind: RecordKind | "mixed", load: Load) => Promise<LoadResult>;

/**
 * Loads sources one after another. Small ones that wait at the same time share a transaction; a large one has its own.
 * Each is stored as a whole or not at all.
 */
export function createLoader(writers: Writers, conventions: Conventions): Loader {
  const calls = loaderOf(writers, callKind(conventions));
  const rows = loaderOf(writers, ROW_KIND);
  const mixed = loaderOf(writers, mixedKind(conventions));
  const loaders = { calls, rows, mixed };
  return (kind, load) => loaders[kind](load);
}

/** A load in the queue. */
interface QueuedLoad<T> extends Load {
  read: ReadLoad<T> | null;
  isSettled: boolean;
}

function loaderOf<T extends StorableRecord>(writers: Writers, kind: Kind<T>) {
  const commit = createGroupCommit<QueuedLoad<T>, ReadLoad<T>, LoadResult, Writer>(writers, {
    prepare: async (load) => {
      load.read = await readLoad(load, kind.reader(load.options));
      if (load.isSettled) await stopReading(load);
      return load.read;
    },
    write: writeLoads,
    rolledBack: writers.rolledBack,
  });
  return async (load: Load): Promise<LoadResult> => {
    const queued: QueuedLoad<T> = { ...load, read: null, isSettled: false };
    const opensGroup = load.alone || load.source.inMemory !== true;
    try {
      return await commit(queued, { signal: load.options.signal, opensGroup });
    } finally {
      queued.isSettled = true;
      await stopReading(queued);
    }
  };
}

/** Lets go of what the source of a load holds. */
async function stopReading<T>({ read }: QueuedLoad<T>): Promise<void> {
  await read?.rest?.return();
}
