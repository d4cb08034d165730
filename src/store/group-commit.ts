import { StoreError } from "../errors.ts";
import { nextTurn } from "../model/turns.ts";
import type { Write, Writing } from "./session.ts";

/** What becomes of one item: a result, or the reason why it alone is not stored. */
export type WriteOutcome<Result> = { readonly value: Result } | { readonly refused: unknown };

/** An item that is ready to be written, and how large it is. */
export interface Ready {
  readonly records: number;
  readonly bytes: number;
  /** Whether it must have a transaction of its own. */
  readonly alone: boolean;
}

/** Work whose items can share a transaction. */
interface GroupWork<Item, Prepared extends Ready, Result, Access> {
  /** Reads and checks an item. What it throws rejects this item alone. */
  readonly prepare: (item: Item) => Promise<Prepared>;
  /** Writes the items and returns their outcomes in the same order. Where one is refused, nothing of this is kept. */
  readonly write: (access: Access, items: readonly Prepared[]) => Promise<readonly WriteOutcome<Result>[]>;
  /** Called after a transaction that was not committed, before the next one begins. */
  readonly rolledBack?: () => void;
}

interface AddOptions {
  readonly signal?: AbortSignal | undefined;
  /** The item may be slow to read, so no group waits for it: it can only be the first of a group. */
  readonly opensGroup?: boolean;
}

/** Adds an item to the queue; resolves when it is durable. */
export type GroupCommit<Item, Result> = (item: Item, options?: AddOptions) => Promise<Result>;

const GROUP_RECORDS = 4000;
const GROUP_BYTES = 16 * 1024 * 1024;
/** Small items are read within one turn of the event loop, but only so many. */
const TURN_MS = 2;

interface Member<Item, Prepared, Result> {
  readonly item: Item;
  readonly signal: AbortSignal | undefined;
  readonly opensGroup: boolean;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
  prepared: Prepared | null;
}

/**
 * Lets items that wait for the writer at the same time share one transaction, in the order in which they were added. No
 * timer: an item that finds the writer free is written at once, and those that are added meanwhile form the next group.
 */
export function createGroupCommit<Item, Prepared extends Ready, Result, Access>(
  writing: Writing<Access>,
  work: GroupWork<Item, Prepared, Result, Access>,
): GroupCommit<Item, Result> {
  const waiting: Member<Item, Prepared, Result>[] = [];
  const leave = (member: Member<Item, Prepared, Result>) => {
    const at = waiting.indexOf(member);
    if (at >= 0) waiting.splice(at, 1);
    return at >= 0;
  };
  return async (item, { signal, opensGroup = false } = {}) => {
    writing.closing.throwIfAborted();
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const member = { item, signal, opensGroup, resolve, reject, prepared: null };
      waiting.push(member);
      const giveUp = () => {
        if (leave(member)) reject(signal?.reason);
      };
      signal?.addEventListener("abort", giveUp, { once: true });
      // One turn an item, which writes the group that begins with it. The turn of an item that a group before it took
      // is over at once: if it wrote what has come since, turns would pile up, each with its item, as long as items
      // keep coming.
      writing
        .inTurn(async (write) => {
          if (waiting.includes(member)) await commit(work, write, await takeGroup(work, waiting, leave));
        })
        .catch((error: unknown) => {
          leave(member);
          reject(error);
        })
        .finally(() => signal?.removeEventListener("abort", giveUp));
    });
  };
}

/** Takes the items from the head of the queue that fit into one transaction. */
async function takeGroup<Item, Prepared extends Ready, Result, Access>(
  work: GroupWork<Item, Prepared, Result, Access>,
  waiting: readonly Member<Item, Prepared, Result>[],
  leave: (member: Member<Item, Prepared, Result>) => boolean,
): Promise<Member<Item, Prepared, Result>[]> {
  const group: Member<Item, Prepared, Result>[] = [];
  let records = 0;
  let bytes = 0;
  let turnEnds = performance.now() + TURN_MS;
  for (;;) {
    if (performance.now() > turnEnds) {
      await nextTurn();
      turnEnds = performance.now() + TURN_MS;
    }
    const next = waiting[0];
    if (next === undefined || (group.length > 0 && next.opensGroup)) return group;
    const prepared = await prepareOnce(work, next);
    if (prepared === null) {
      leave(next);
      continue;
    }
    records += prepared.records;
    bytes += prepared.bytes;
    const fits = records <= GROUP_RECORDS && bytes <= GROUP_BYTES && !prepared.alone;
    if (group.length > 0 && !fits) return group;
    if (leave(next)) group.push(next);
    if (!fits) return group;
  }
}

/** Null where the item was refused. */
async function prepareOnce<Item, Prepared extends Ready, Result, Access>(
  work: GroupWork<Item, Prepared, Result, Access>,
  member: Member<Item, Prepared, Result>,
): Promise<Prepared | null> {
  try {
    return (member.prepared ??= await work.prepare(member.item));
  } catch (error) {
    member.reject(error);
    return null;
  }
}

/** Says which items of a transaction are to be left out of the next attempt. */
class LeftOut extends Error {
  readonly reasons: readonly (readonly [index: number, reason: unknown])[];

  constructor(reasons: readonly (readonly [number, unknown])[]) {
    super("some items of the group are not to be stored");
    this.reasons = reasons;
  }
}

/** Writes a group; where an item fails for reasons of its own, the others are written without it. */
async function commit<Item, Prepared extends Ready, Result, Access>(
  work: GroupWork<Item, Prepared, Result, Access>,
  write: Write<Access>,
  group: readonly Member<Item, Prepared, Result>[],
): Promise<void> {
  if (group.length === 0) return;
  try {
    for (const [member, value] of await attempt(work, write, group)) member.resolve(value);
  } catch (error) {
    work.rolledBack?.();
    await recover(work, write, group, error);
  }
}

async function attempt<Item, Prepared extends Ready, Result, Access>(
  work: GroupWork<Item, Prepared, Result, Access>,
  write: Write<Access>,
  group: readonly Member<Item, Prepared, Result>[],
): Promise<[Member<Item, Prepared, Result>, Result][]> {
  const { signal, unlink } = whenAllAbort(group.map((member) => member.signal));
  try {
    return await write(async (access) => {
      const prepared = group.flatMap((member) => member.prepared ?? []);
      return split(group, await work.write(access, prepared));
    }, signal);
  } finally {
    unlink();
  }
}

/** The result of each item. Throws where one is refused, or was aborted meanwhile. */
function split<Item, Prepared, Result>(
  group: readonly Member<Item, Prepared, Result>[],
  outcomes: readonly WriteOutcome<Result>[],
): [Member<Item, Prepared, Result>, Result][] {
  const leftOut: [number, unknown][] = [];
  const results: [Member<Item, Prepared, Result>, Result][] = [];
  for (const [i, member] of group.entries()) {
    const outcome = outcomes[i];
    if (outcome === undefined) throw new Error("an item of a group has no outcome");
    if ("refused" in outcome) leftOut.push([i, outcome.refused]);
    else if (member.signal?.aborted === true) leftOut.push([i, member.signal.reason]);
    else results.push([member, outcome.value]);
  }
  if (leftOut.length > 0) throw new LeftOut(leftOut);
  return results;
}

async function recover<Item, Prepared extends Ready, Result, Access>(
  work: GroupWork<Item, Prepared, Result, Access>,
  write: Write<Access>,
  group: readonly Member<Item, Prepared, Result>[],
  error: unknown,
): Promise<void> {
  if (error instanceof LeftOut) {
    const reasons = new Map(error.reasons);
    for (const [i, reason] of reasons) group[i]?.reject(reason);
    await commit(
      work,
      write,
      group.filter((_, i) => !reasons.has(i)),
    );
    return;
  }
  if (group.length === 1 || isFaultOfAll(error)) {
    for (const { signal, reject } of group) reject(signal?.aborted === true ? signal.reason : error);
    return;
  }
  for (const member of group) await commit(work, write, [member]);
}

/** Whether each transaction would fail now, whatever it writes: DuckDB refuses a statement for what it writes. */
function isFaultOfAll(error: unknown): boolean {
  return error instanceof StoreError && error.code !== "query_failed" && error.code !== "out_of_memory";
}

/** Aborts when all of these signals have aborted; never where one item has none. */
function whenAllAbort(signals: readonly (AbortSignal | undefined)[]): {
  readonly signal: AbortSignal;
  readonly unlink: () => void;
} {
  const controller = new AbortController();
  const check = () => {
    if (signals.every((one) => one?.aborted === true)) controller.abort(signals[0]?.reason);
  };
  check();
  for (const signal of signals) signal?.addEventListener("abort", check, { once: true });
  return {
    signal: controller.signal,
    unlink: () => {
      for (const signal of signals) signal?.removeEventListener("abort", check);
    },
  };
}
