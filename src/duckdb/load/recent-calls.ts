import { asStored, splitMet, type CallIdentity, type KnownCall } from "../../ingest/lookup/known-call.ts";
import { findCalls, findChildren, type CallLookup } from "./stored-calls.ts";
import type { StoredHashes } from "./call-filters.ts";
import type { TurnTaker } from "../../model/turns.ts";

/**
 * The calls that the previous batch wrote. A trial and its children arrive close together, so most stored calls that a
 * batch needs are found here, without waiting for the database to write them. Their hashes enter the filters only
 * when the next batch replaces them: a look-up in the database is then for older calls alone.
 */
export interface RecentCalls {
  calls: ReadonlyMap<string, KnownCall>;
}

export function noRecentCalls(): RecentCalls {
  return { calls: new Map() };
}

/** The stored calls of these identities. */
export async function lookUpCalls(
  lookup: CallLookup,
  recent: RecentCalls,
  wanted: readonly CallIdentity[],
): Promise<KnownCall[]> {
  const { found, others } = splitMet(wanted, (identity) => recent.calls.get(identity));
  return others.length === 0 ? found : [...found, ...(await findCalls(lookup, others))];
}

/** The stored calls whose parent is one of these calls. */
export async function lookUpChildren(
  lookup: CallLookup,
  recent: RecentCalls,
  parents: readonly CallIdentity[],
): Promise<KnownCall[]> {
  const found: KnownCall[] = [];
  const wanted = new Set(parents.map(({ identity }) => identity));
  if (wanted.size === 0) return found;
  recent.calls.forEach((call) => {
    if (call.parent !== null && wanted.has(call.parent.identity)) found.push(asStored(call));
  });
  return [...found, ...(await findChildren(lookup, parents))];
}

/** Replaces the previous calls by those of this batch, and adds the hashes of the previous ones to the filters. */
export async function replaceRecent(
  recent: RecentCalls,
  calls: ReadonlyMap<string, KnownCall>,
  hashes: StoredHashes | null,
  turns: TurnTaker,
): Promise<void> {
  const { calls: before } = recent;
  recent.calls = calls;
  if (hashes === null) return;
  for (const { hash, parent } of before.values()) {
    if (turns.shouldYield()) await turns.next();
    hashes.ids.add(hash);
    if (parent !== null) hashes.parents.add(parent.hash);
  }
}
