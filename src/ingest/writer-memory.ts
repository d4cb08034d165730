import type { Session } from "../store/session.ts";
import { readCatalog, type Catalog } from "./keys/catalog.ts";
import { createRowCache, type RowCache } from "./write/dataset-rows.ts";
import type { KnownCall } from "./lookup/stored-calls.ts";
import { openStoredHashes, readMore, saveStoredHashes, type StoredHashes } from "./lookup/call-filters.ts";
import type { TurnTaker } from "./flow/turns.ts";

/** What a writer remembers between loads. A load that fails has run ahead of the database. */
export interface WriterMemory {
  catalog: Catalog | null;
  cache: RowCache;
  met: Map<string, KnownCall>;
  hashes: StoredHashes | null;
}

export function createWriterMemory(): WriterMemory {
  return { catalog: null, cache: createRowCache(), met: new Map(), hashes: null };
}

/** To be called before a load reads or writes. */
export async function beginLoad(session: Session, memory: WriterMemory): Promise<Catalog> {
  if (memory.hashes !== null) memory.hashes.wereComplete = memory.hashes.unread === null;
  memory.cache.isIncomplete = false;
  memory.catalog ??= await readCatalog(session);
  return memory.catalog;
}

/** The hashes of what is stored, for a batch of so many records. */
export async function knownHashes(
  session: Session,
  memory: WriterMemory,
  catalog: Catalog,
  records: number,
  turns: TurnTaker,
): Promise<StoredHashes> {
  memory.hashes ??= await openStoredHashes(session, catalog.next.call - 1, turns);
  await readMore(session, memory.hashes, records, turns);
  return memory.hashes;
}

/** Stores what is known of the hashes, at the end of a load, where that is worth it. */
export async function saveHashes(session: Session, memory: WriterMemory, catalog: Catalog): Promise<void> {
  if (memory.hashes !== null) await saveStoredHashes(session, memory.hashes, catalog.next.call - 1);
}

/**
 * Forgets what a load that failed may have changed. Filters may hold what is not stored, but hashes that were read
 * during the load may have been those of changed calls.
 */
export function forget(memory: WriterMemory): void {
  memory.catalog = null;
  memory.cache = createRowCache();
  memory.met = new Map();
  if (memory.hashes?.wereComplete === true) memory.hashes.savedTo = null;
  else memory.hashes = null;
}
