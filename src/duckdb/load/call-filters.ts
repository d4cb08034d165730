import type { FileSession } from "../../store/session.ts";
import { constant, sql } from "../../store/sql.ts";
import { createHashFilter, type HashFilter } from "../../ingest/lookup/hash-filter.ts";
import { addHashes, readFilters, savedKey, writeFilters } from "./saved-filters.ts";
import type { TurnTaker } from "../../model/turns.ts";

/**
 * Approximate sets of the stored calls and of the parents that have stored children. A call that is in neither set is
 * not stored, unless its key lies in the `unread` range.
 */
export interface StoredHashes {
  readonly ids: HashFilter;
  readonly parents: HashFilter;
  /** Keys of the stored calls whose hashes have not been read yet. */
  unread: KeyRange | null;
  /** The last key that the filters in the database cover; null where the database must be asked. */
  savedTo: number | null;
  /** Whether all hashes had been read when the current load began. */
  wereComplete: boolean;
}

/** Both ends are included. */
export interface KeyRange {
  readonly first: number;
  readonly last: number;
}

/** Opens the filters that the database keeps. `lastKey` is the key of the last stored call. */
export async function openStoredHashes(
  session: FileSession,
  lastKey: number,
  turns: TurnTaker,
): Promise<StoredHashes> {
  const found = lastKey === 0 ? null : await readFilters(session, turns);
  const saved = found !== null && found.toKey <= lastKey ? found : null;
  const savedTo = saved?.toKey ?? 0;
  return {
    ids: saved?.ids ?? createHashFilter(lastKey * 1.1),
    parents: saved?.parents ?? createHashFilter(lastKey / 2.5),
    unread: savedTo < lastKey ? { first: savedTo + 1, last: lastKey } : null,
    savedTo,
    wereComplete: false,
  };
}

/** At least so many keys are read before a batch, which takes some tens of milliseconds. */
const KEYS_AT_ONCE = 1 << 16;
const KEYS_PER_RECORD = 32;

/** Reads some of the unread hashes: a load of few records must not wait for all of them. */
export async function readMore(
  session: FileSession,
  hashes: StoredHashes,
  records: number,
  turns: TurnTaker,
): Promise<void> {
  const { unread } = hashes;
  if (unread === null) return;
  const { first } = unread;
  const last = Math.min(unread.last, first + Math.max(KEYS_AT_ONCE, records * KEYS_PER_RECORD) - 1);
  const query = sql`SELECT id_hash, parent_hash FROM calls
    WHERE call_key BETWEEN ${constant(first)} AND ${constant(last)}`;
  await addHashes(session, query, [hashes.ids, hashes.parents], turns);
  hashes.unread = last < unread.last ? { first: last + 1, last: unread.last } : null;
}

const SAVED_CALLS = 1 << 15;
const SAVED_SHARE = 16;

/** Stores the filters in the current transaction when enough calls were added since they were last stored. */
export async function saveStoredHashes(
  session: FileSession,
  hashes: StoredHashes,
  lastKey: number,
): Promise<void> {
  if (hashes.unread !== null) return;
  hashes.savedTo ??= await savedKey(session);
  if (lastKey - hashes.savedTo < Math.max(SAVED_CALLS, hashes.savedTo / SAVED_SHARE)) return;
  await writeFilters(session, hashes);
  hashes.savedTo = lastKey;
}
