import type { Session } from "../model/session.ts";
import { sql } from "../model/sql.ts";
import { createHashFilter, type HashFilter } from "./hash-filter.ts";

/** Of which identities, and of whose children, calls may be stored: what is not in here is not stored. */
export interface StoredHashes {
  readonly ids: HashFilter;
  readonly parents: HashFilter;
}

export function noStoredHashes(): StoredHashes {
  return { ids: createHashFilter(), parents: createHashFilter() };
}

/** Reads the hashes of all stored calls, each as an integer of 53 bits, which a double holds. */
export async function readStoredHashes(session: Session): Promise<StoredHashes> {
  const [counted] = await session.rows(sql`SELECT count(*) FROM calls`);
  const count = Number(counted?.[0]);
  const stored = { ids: createHashFilter(count * 1.25), parents: createHashFilter(count / 2) };
  const chunks = session.columns(sql`SELECT (id_hash >> 11)::DOUBLE, (parent_hash >> 11)::DOUBLE FROM calls`);
  for await (const [ids, parents] of chunks) {
    addAll(stored.ids, ids);
    addAll(stored.parents, parents);
  }
  return stored;
}

/** Children of one parent mostly follow one another. */
function addAll(filter: HashFilter, hashes: readonly unknown[] = []): void {
  let before: unknown = null;
  for (const hash of hashes) {
    if (typeof hash === "number" && hash !== before)
      filter.add({ high: Math.floor(hash / 2 ** 21) | 0, low: hash << 11 });
    before = hash;
  }
}
