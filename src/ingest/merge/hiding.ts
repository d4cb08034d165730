import type { TurnTaker } from "../../model/turns.ts";
import type { KnownCall, StoredCalls } from "../lookup/known-call.ts";

/** A hidden call hides its descendants, those of the batch and those stored before. */
export async function hideDescendants(
  stored: StoredCalls,
  known: Map<string, KnownCall>,
  before: ReadonlyMap<string, KnownCall>,
  changed: Map<string, KnownCall>,
  remember: (calls: readonly KnownCall[]) => void,
): Promise<void> {
  if (!anyHidden(known)) return;
  const hiding = { known, changed, below: new Map<string, string[]>() };
  const byRecords = [...changed.values()].filter(
    ({ hidden, identity }) => hidden && before.get(identity)?.hidden !== true,
  );
  const byOthers = await hideBelow(hiding, [...known.values()], stored.turns);
  for (let parents = [...byRecords, ...byOthers]; parents.length > 0;) {
    const children = await stored.children(parents);
    remember(children);
    parents = await hideBelow(hiding, children, stored.turns);
  }
}

interface Hiding {
  readonly known: Map<string, KnownCall>;
  readonly changed: Map<string, KnownCall>;
  /** By the identity of a call, those below it. */
  readonly below: Map<string, string[]>;
}

/** Takes calls that have become known; hides what is below a hidden one, and gives what is hidden by that. */
async function hideBelow(
  { known, changed, below }: Hiding,
  calls: readonly KnownCall[],
  turns: TurnTaker,
): Promise<KnownCall[]> {
  const newly: KnownCall[] = [];
  /** Grows while it is walked. */
  const hidden: string[] = [];
  const hide = (call: KnownCall | undefined) => {
    if (call === undefined || call.hidden) return;
    const now = { ...call, hidden: true };
    known.set(call.identity, now);
    changed.set(call.identity, now);
    newly.push(now);
    hidden.push(call.identity);
  };
  for (const { identity } of calls) {
    if (turns.shouldYield()) await turns.next();
    const call = known.get(identity);
    const above = call?.parent?.identity;
    if (call?.hidden === true) hidden.push(identity);
    if (above === undefined) continue;
    const siblings = below.get(above);
    if (siblings === undefined) below.set(above, [identity]);
    else siblings.push(identity);
    if (known.get(above)?.hidden === true) hide(call);
  }
  for (const above of hidden)
    for (const identity of below.get(above) ?? []) {
      if (turns.shouldYield()) await turns.next();
      hide(known.get(identity));
    }
  return newly;
}

export function anyHidden(known: ReadonlyMap<string, KnownCall>): boolean {
  let found = false;
  known.forEach(({ hidden }) => (found ||= hidden));
  return found;
}

/**
 * Whether a call is below a hidden one, as far as the batch is merged. Asked before a record moves it elsewhere: it
 * stays hidden then, as it does where the records come in batches of their own.
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
