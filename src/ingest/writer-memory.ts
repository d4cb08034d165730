import type { Session } from "../model/session.ts";
import type { Catalog } from "./catalog.ts";
import { createRowCache, type RowCache } from "./dataset-rows.ts";
import type { KnownCall } from "./stored-calls.ts";
import { noStoredHashes, readStoredHashes, type StoredHashes } from "./stored-hashes.ts";
import type { TurnTaker } from "./turns.ts";

/**
 * What a writer remembers between loads. Dropped when a load fails, since it runs ahead of the database; but
 * for the hashes, of which there may be too many.
 */
export interface WriterMemory {
  catalog: Catalog | null;
  cache: RowCache;
  met: Map<string, KnownCall>;
  /** Null until they are worth reading. */
  hashes: StoredHashes | null;
  batches: number;
}

export function createWriterMemory(): WriterMemory {
  return { catalog: null, cache: createRowCache(), met: new Map(), hashes: null, batches: 0 };
}

/** The first batches of a writer are looked up in the database: reading all hashes costs about as much as these. */
const LOOKED_UP_BATCHES = 20;

/** The hashes of what is stored, once they are known. */
export async function knownHashes(
  session: Session,
  memory: WriterMemory,
  catalog: Catalog,
  turns: TurnTaker,
): Promise<StoredHashes | null> {
  if (memory.hashes === null && catalog.next.call === 1) memory.hashes = noStoredHashes();
  if (memory.hashes === null && memory.batches++ >= LOOKED_UP_BATCHES)
    memory.hashes = await readStoredHashes(session, turns);
  return memory.hashes;
}

/** Forgets what a load that failed may have changed. */
export function forget(memory: WriterMemory): void {
  memory.catalog = null;
  memory.cache = createRowCache();
  memory.met = new Map();
}
