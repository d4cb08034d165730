import { createHashFilter, type HashFilter } from "../../ingest/lookup/hash-filter.ts";
import { withOwnText, type CallIdentity, type KnownCall } from "../../ingest/lookup/known-call.ts";
import type { CallBatch } from "../../ingest/merge/call-batch.ts";
import type { StoredPlace } from "./dictionaries.ts";
import type { StoredKeys } from "./stored-keys.ts";

/**
 * What a load has met, so that most look-ups ask nobody: the calls that the batch before changed, since a trial and its
 * children come close together, and roots, which every batch names. Of older calls only hashes stay.
 */
export interface MetCalls {
  readonly recent: ReadonlyMap<string, KnownCall>;
  readonly roots: Map<string, KnownCall>;
  /** Where the calls of this batch and of the one before were first stored, by identity. */
  readonly first: Map<string, StoredPlace>;
  /** Calls of the load that are not in `recent`, and their parents. */
  readonly older: { readonly calls: HashFilter; readonly groups: HashFilter };
  /** Ends a batch: its calls are the recent ones from then on. */
  readonly replaceRecent: (batch: Pick<CallBatch, "known" | "changed" | "trials">) => void;
}

const MOST_ROOTS = 1000;
const MOST_LENGTH = 16 * 1024;

/** `keys` gives where the keys of stored calls are kept, if they are. */
export function createMetCalls(keys: () => StoredKeys | null): MetCalls {
  const older = { calls: createHashFilter(), groups: createHashFilter() };
  let recent: ReadonlyMap<string, KnownCall> = new Map();
  let first = new Map<string, StoredPlace>();
  const roots = new Map<string, KnownCall>();
  return {
    get recent() {
      return recent;
    },
    get first() {
      return first;
    },
    roots,
    older,
    replaceRecent: ({ known, changed, trials }) => {
      const stored = keys();
      for (const { hash, parent } of recent.values()) {
        older.calls.add(hash);
        stored?.calls.add(hash);
        if (parent === null) continue;
        older.groups.add(parent.hash);
        stored?.groups.add(parent.hash);
      }
      recent = changed;
      first = those(first, changed);
      keepRoots(
        roots,
        known,
        [...trials.values()].flatMap(({ trial }) => trial.parent ?? []),
      );
      for (const [identity, call] of changed) if (roots.has(identity)) roots.set(identity, withOwnText(call));
    },
  };
}

/** Those of the entries that the other map has, too. */
function those<T>(entries: ReadonlyMap<string, T>, others: ReadonlyMap<string, unknown>): Map<string, T> {
  const found = new Map<string, T>();
  entries.forEach((value, identity) => {
    if (others.has(identity)) found.set(identity, value);
  });
  return found;
}

function keepRoots(
  roots: Map<string, KnownCall>,
  known: ReadonlyMap<string, KnownCall>,
  parents: readonly CallIdentity[],
): void {
  for (const { identity } of parents) {
    const root = known.get(identity);
    if (root === undefined || roots.has(identity) || root.text.length > MOST_LENGTH) continue;
    if (roots.size >= MOST_ROOTS) roots.clear();
    roots.set(identity, withOwnText(root));
  }
}
