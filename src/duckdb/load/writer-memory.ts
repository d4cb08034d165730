import type { FileSession } from "../../store/session.ts";
import { createCatalog, readCatalog, type Catalog, type CatalogData } from "../../ingest/keys/catalog.ts";
import { createRowCache, type RowCache } from "../../ingest/write/row-entries.ts";
import type { KnownCall } from "../../ingest/lookup/known-call.ts";
import { openStoredHashes, readMore, saveStoredHashes, type StoredHashes } from "./call-filters.ts";
import { createHashFilter, type HashLayer } from "../../ingest/lookup/hash-filter.ts";
import type { TurnTaker } from "../../model/turns.ts";

/** What a writer remembers between loads. After a load that fails, it holds what the database does not. */
export interface WriterMemory {
  catalog: Catalog | null;
  cache: RowCache;
  met: Map<string, KnownCall>;
  hashes: StoredHashes | null;
}

/**
 * Bytes of dataset rows to remember, at most; less where the database itself may hold little. Five evaluations of
 * 20,000 rows, which take 12 MiB, loaded in 0.8 of the time that 4 MiB needed.
 */
const MOST_ROW_BYTES = 16 * 2 ** 20;
/** How much of the database's memory that is at most. */
const PART_FOR_ROWS = 1 / 16;

/** `memoryBytes`: how much the database may hold in memory. */
export function createWriterMemory(memoryBytes = Infinity): WriterMemory {
  const rowBytes = Math.min(MOST_ROW_BYTES, memoryBytes * PART_FOR_ROWS);
  return { catalog: null, cache: createRowCache(rowBytes), met: new Map(), hashes: null };
}

/** Call this before a load reads or writes. */
export async function beginLoad(session: FileSession, memory: WriterMemory): Promise<Catalog> {
  if (memory.hashes !== null) memory.hashes.wereComplete = memory.hashes.unread === null;
  memory.catalog ??= await readCatalog(session);
  memory.cache.firstKey = memory.catalog.next.row;
  memory.cache.dropped = null;
  return memory.catalog;
}

/** The filters of stored calls, as far as a batch of so many records needs them. */
export async function knownHashes(
  session: FileSession,
  memory: WriterMemory,
  catalog: Catalog,
  records: number,
  turns: TurnTaker,
): Promise<StoredHashes> {
  memory.hashes ??= await openStoredHashes(session, catalog.next.call - 1, turns);
  await readMore(session, memory.hashes, records, turns);
  return memory.hashes;
}

/** Stores the filters at the end of a load, when enough calls were added. */
export async function saveHashes(
  session: FileSession,
  memory: WriterMemory,
  catalog: Catalog,
): Promise<void> {
  if (memory.hashes !== null) await saveStoredHashes(session, memory.hashes, catalog.next.call - 1);
}

/**
 * Forgets what a failed load may have changed. Filters may stay when they were complete before: they may hold calls
 * that are not stored. Hashes that were read during the load may belong to records that were rolled back.
 */
export function forget(memory: WriterMemory): void {
  memory.catalog = null;
  memory.cache = createRowCache(memory.cache.bytes, memory.cache.size);
  memory.met = new Map();
  if (memory.hashes?.wereComplete === true) memory.hashes.savedTo = null;
  else memory.hashes = null;
}

/** What a writer remembers as plain data, for another thread: all but rows, of which there may be many. */
export interface PackedMemory {
  readonly catalog: CatalogData | null;
  readonly met: ReadonlyMap<string, KnownCall>;
  readonly hashes: PackedHashes | null;
}

interface PackedHashes extends Omit<StoredHashes, "ids" | "parents"> {
  readonly ids: readonly HashLayer[];
  readonly parents: readonly HashLayer[];
}

/** It takes about a millisecond for so many evaluations and dimensions. */
const SOON_PACKED = 1000;

/** Whether what a writer remembers is packed in less time than a small load takes. */
export function isSoonPacked({ catalog }: WriterMemory): boolean {
  return catalog === null || catalog.evaluations.size + catalog.scorePaths.size <= SOON_PACKED;
}

/** Gives away what a writer remembers. */
export function packMemory(memory: WriterMemory): PackedMemory {
  const { catalog, met, hashes } = memory;
  memory.catalog = null;
  memory.met = new Map();
  memory.hashes = null;
  return {
    catalog: catalog === null ? null : catalogData(catalog),
    met: new Map([...met].flatMap(([id, call]) => (isSmall(call) ? [[id, call]] : []))),
    hashes: hashes === null ? null : { ...hashes, ids: hashes.ids.layers, parents: hashes.parents.layers },
  };
}

function catalogData({ projects, evaluations, scorePaths, next, mark }: Catalog): CatalogData {
  return { projects, evaluations, scorePaths, next, mark };
}

/** Mostly roots, which many batches name; a trial is named by the few calls that follow it. */
function isSmall({ call }: KnownCall): boolean {
  return call === null || call.trial === null;
}

/** Takes over what another thread packed. */
export function unpackMemory(memory: WriterMemory, { catalog, met, hashes }: PackedMemory): void {
  memory.catalog = catalog === null ? null : createCatalog(catalog);
  memory.met = new Map(met);
  memory.hashes =
    hashes === null
      ? null
      : {
          ...hashes,
          ids: createHashFilter(0, hashes.ids),
          parents: createHashFilter(0, hashes.parents),
        };
}
