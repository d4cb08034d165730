import { StoreError } from "../../../errors.ts";
import type { ScoreColumn } from "../../../plan/trial-table.ts";
import type { FileSession, FileStore, Session } from "../../../store/session.ts";
import { dropWideTable, makeWideTable, wideBytes } from "./make-table.ts";

/** The most bytes of all tables together, and their most share of the memory limit. */
const MOST_BYTES = 256 * 2 ** 20;
const MOST_SHARE = 1 / 8;
/** Tables are dropped when none has been read for so long. */
const IDLE_MS = 60_000;

/** Tables with one record a trial and one column a dimension, kept until the next write. */
export interface WideTables {
  /**
   * Finds a table with these dimensions of a project, as the snapshot of the session has them; makes it when each of them is
   * asked for the second time since the last write. Null where there is none.
   */
  readonly lease: (
    session: Session,
    projectKey: number,
    dimensions: readonly ScoreColumn[],
    signal: AbortSignal | undefined,
  ) => Promise<Lease | null>;
}

/** A table that is there until `end` is called. */
export interface Lease {
  readonly table: string;
  readonly end: () => void;
}

interface WideTable {
  readonly name: string;
  readonly paths: ReadonlySet<number>;
  readonly bytes: number;
  readers: number;
}

interface Kept {
  readonly store: FileStore;
  readonly mostBytes: number;
  /** The epoch that the members below are about. */
  epoch: number;
  /** The table that was read longest ago comes first. */
  readonly tables: Set<WideTable>;
  readonly asked: Set<number>;
  /** Lists of dimensions whose tables would be too large. */
  readonly tooLarge: Set<string>;
  isMaking: boolean;
  made: number;
  idle: NodeJS.Timeout | undefined;
}

export function createWideTables(store: FileStore, mostBytes = MOST_BYTES): WideTables {
  const kept: Kept = {
    store,
    mostBytes: Math.min(mostBytes, store.memoryBytes * MOST_SHARE),
    epoch: -1,
    tables: new Set(),
    asked: new Set(),
    tooLarge: new Set(),
    isMaking: false,
    made: 0,
    idle: undefined,
  };
  return {
    lease: async (session, projectKey, dimensions, signal) => {
      if (dimensions.length === 0 || !isCurrent(kept, session.epoch)) return null;
      const paths = dimensions.map(({ pathKey }) => pathKey);
      const known = narrowestWith(kept, paths);
      if (known !== null) return leaseOf(kept, known);
      if (!askedBefore(kept, paths) || kept.isMaking || kept.tooLarge.has(String(paths))) return null;
      kept.isMaking = true;
      try {
        const made = await make(kept, session.epoch, projectKey, dimensions, signal);
        return made === null ? null : leaseOf(kept, made);
      } finally {
        kept.isMaking = false;
      }
    },
  };
}

/** Whether a snapshot is the newest that was seen; forgets what was kept of an older one. */
function isCurrent(kept: Kept, epoch: number | null): boolean {
  if (epoch === null || epoch < kept.epoch) return false;
  if (epoch > kept.epoch) {
    forgetTables(kept);
    kept.asked.clear();
    kept.tooLarge.clear();
    kept.epoch = epoch;
  }
  return true;
}

function narrowestWith({ tables }: Kept, paths: readonly number[]): WideTable | null {
  const fitting = [...tables].filter((table) => paths.every((path) => table.paths.has(path)));
  return fitting.toSorted((a, b) => a.bytes - b.bytes)[0] ?? null;
}

function askedBefore({ asked }: Kept, paths: readonly number[]): boolean {
  const found = paths.every((path) => asked.has(path));
  for (const path of paths) asked.add(path);
  return found;
}

async function make(
  kept: Kept,
  epoch: number | null,
  projectKey: number,
  dimensions: readonly ScoreColumn[],
  signal: AbortSignal | undefined,
): Promise<WideTable | null> {
  const paths = dimensions.map(({ pathKey }) => pathKey);
  const name = `results_${++kept.made}`;
  const work = async (session: FileSession): Promise<WideTable | null> => {
    if (session.epoch !== epoch) return null;
    const bytes = await wideBytes(session, projectKey, dimensions);
    if (bytes > kept.mostBytes) kept.tooLarge.add(String(paths));
    if (!hasRoom(kept, bytes)) return null;
    await makeWideTable(session, name, projectKey, dimensions);
    return { name, paths: new Set(paths), bytes, readers: 0 };
  };
  const table = await kept.store.scratch(work, signal).catch((error: unknown) => {
    if (!hasNoSpace(error)) throw error;
    kept.tooLarge.add(String(paths));
    return null;
  });
  if (table === null) return null;
  kept.tables.add(table);
  if (kept.epoch === epoch) return table;
  forget(kept, table);
  return null;
}

/** Whether there is room for so many bytes, once tables that nobody reads have made it. */
function hasRoom(kept: Kept, bytes: number): boolean {
  if (bytes > kept.mostBytes) return false;
  const used = () => [...kept.tables].reduce((sum, table) => sum + table.bytes, bytes);
  for (const table of kept.tables) {
    if (used() <= kept.mostBytes) break;
    if (table.readers === 0) forget(kept, table);
  }
  return used() <= kept.mostBytes;
}

/** Whether the table has no place in memory, or on the disk to which memory spills. */
function hasNoSpace(error: unknown): boolean {
  if (!(error instanceof StoreError)) return false;
  const says = error.cause instanceof Error ? error.cause.message : "";
  return error.code === "storage_full" || says.startsWith("Out of Memory");
}

function leaseOf(kept: Kept, table: WideTable): Lease {
  kept.tables.delete(table);
  kept.tables.add(table);
  table.readers++;
  clearTimeout(kept.idle);
  return {
    table: table.name,
    end: () => {
      table.readers--;
      if (!kept.tables.has(table)) dropUnread(kept, table);
      clearTimeout(kept.idle);
      kept.idle = setTimeout(() => forgetTables(kept), IDLE_MS).unref();
    },
  };
}

function forgetTables(kept: Kept): void {
  for (const table of kept.tables) forget(kept, table);
}

function forget(kept: Kept, table: WideTable): void {
  kept.tables.delete(table);
  dropUnread(kept, table);
}

/** Drops a table that was forgotten, unless somebody still reads it. A store that closes drops all. */
function dropUnread({ store }: Kept, { name, readers }: WideTable): void {
  if (readers === 0) store.scratch((session) => dropWideTable(session, name)).catch(() => undefined);
}
