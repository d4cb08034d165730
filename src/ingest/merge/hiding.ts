import type { KnownCall, StoredCalls } from "../lookup/known-call.ts";

/** A hidden call hides its descendants, those of the batch and those stored before. */
export async function hideDescendants(
  stored: StoredCalls,
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
    remember(await stored.children(newlyHidden));
  }
}

export function anyHidden(known: ReadonlyMap<string, KnownCall>): boolean {
  let found = false;
  known.forEach(({ hidden }) => (found ||= hidden));
  return found;
}

/**
 * Whether a call is below a hidden one, as far as the batch is merged. Asked before a record moves it elsewhere: it stays
 * hidden then, as it does where the records come in batches of their own.
 */
export async function isBelowHidden(
  stored: StoredCalls,
  known: Map<string, KnownCall>,
  call: KnownCall,
): Promise<boolean> {
  const seen = new Set([call.identity]);
  for (let above = call.parent; above !== null && !seen.has(above.identity);) {
    seen.add(above.identity);
    const parent: KnownCall | undefined = known.get(above.identity) ?? (await stored.find([above]))[0];
    if (parent === undefined) return false;
    known.set(parent.identity, parent);
    if (parent.hidden) return true;
    above = parent.parent;
  }
  return false;
}
