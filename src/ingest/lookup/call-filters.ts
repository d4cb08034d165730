import type { Session } from "../../store/session.ts";
import { constant, sql } from "../../store/sql.ts";
import { createHashFilter, type HashFilter } from "./hash-filter.ts";
import { addHashes, readFilters, savedKey, writeFilters } from "./saved-filters.ts";
import type { TurnTaker } from "../flow/turns.ts";

/**
 * Of which identities, and of whose children, calls may be stored: of what is in neither filter there is none,
 * unless among the unread.
 */
export interface StoredHashes {
  readonly ids: HashFilter;
  readonly parents: HashFilter;
  /** Keys of stored calls whose hashes are yet to be read. */
  unread: KeyRange | null;
  /** The database keeps filters of all calls up to this key; null where that has to be asked. */
  savedTo: number | null;
  /** Whether nothing was unread when the load under way began. */
  wereComplete: boolean;
}

/** From the first to the last. */
export interface KeyRange {
  readonly first: number;
  readonly last: number;
}

/** What is known of the calls up to `lastKey`, all that are stored, before any hash is read from them. */
export async function openStoredHashes(
  session: Session,
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

/** Keys read before a batch, at least: some tens of milliseconds. */
const KEYS_AT_ONCE = 1 << 16;
const KEYS_PER_RECORD = 32;

/** Reads some of the unread hashes, so that no load has to wait for all of them. */
export async function readMore(
  session: Session,
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

/** Stores the filters with the load that they follow from, when enough calls have come since they last were. */
export async function saveStoredHashes(
  session: Session,
  hashes: StoredHashes,
  lastKey: number,
): Promise<void> {
  if (hashes.unread !== null) return;
  hashes.savedTo ??= await savedKey(session);
  if (lastKey - hashes.savedTo < Math.max(SAVED_CALLS, hashes.savedTo / SAVED_SHARE)) return;
  await writeFilters(session, hashes);
  hashes.savedTo = lastKey;
}
