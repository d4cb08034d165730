import { lookUpChildren, type RecentCalls } from "../lookup/recent-calls.ts";
import type { CallLookup, KnownCall } from "../lookup/stored-calls.ts";

/** A hidden call hides its descendants, those of the batch and those stored before. */
export async function hideDescendants(
  lookup: CallLookup,
  recent: RecentCalls,
  known: Map<string, KnownCall>,
  before: ReadonlyMap<string, KnownCall>,
  changed: Map<string, KnownCall>,
  remember: (calls: readonly KnownCall[]) => void,
): Promise<void> {
  const hide = (call: KnownCall): void => {
    const hidden = { ...call, hidden: true };
    known.set(call.identity, hidden);
    changed.set(call.identity, hidden);
  };
  const looked = new Set<string>();
  for (;;) {
    for (let found = true; found;) {
      found = false;
      known.forEach((call) => {
        if (call.hidden || call.parent === null || known.get(call.parent.identity)?.hidden !== true) return;
        hide(call);
        found = true;
      });
    }
    const newlyHidden: KnownCall[] = [];
    changed.forEach((call, id) => {
      if (call.hidden && before.get(id)?.hidden !== true && !looked.has(id)) newlyHidden.push(call);
    });
    if (newlyHidden.length === 0) return;
    for (const { identity } of newlyHidden) looked.add(identity);
    remember(await lookUpChildren(lookup, recent, newlyHidden));
  }
}
