import { StoreError } from "../../errors.ts";
import type { CallRecord } from "../../model/sent-records.ts";

/** Records that are stored together. */
interface Parcel {
  readonly records: readonly CallRecord[];
  /** About so many characters of JSON. */
  readonly size: number;
  /** Called when the parcel is durable, at the first try or later. */
  readonly stored: () => void;
}

/**
 * Writes parcels in groups, without a timer: the first is written at once, those that come meanwhile form the next group. All
 * loggers of an engine share it.
 */
export interface Outbox {
  /**
   * Resolves when the parcel is durable, rejects when its first write failed. It then stays here and is tried again with the next
   * parcel and by `flush`; one that was refused for its content does not stay.
   */
  readonly add: (parcel: Parcel) => Promise<void>;
  /** Tries again what failed, and waits for all; resolves to the error of a parcel that is still not durable, or null. */
  readonly flush: () => Promise<unknown>;
  /** Resolves when less than one group waits, and at a write that failed. */
  readonly room: () => Promise<void>;
}

type Write = (records: readonly CallRecord[]) => Promise<unknown>;

interface Waiting extends Parcel {
  /** Called after the first try; null from then on. */
  settle: ((error: unknown) => void) | null;
}

interface State {
  readonly write: Write;
  queue: Waiting[];
  running: Promise<unknown> | null;
  records: number;
  size: number;
  /** Those who wait for room. */
  readonly waiters: (() => void)[];
}

interface Result {
  readonly error: unknown;
  /** What is to be tried again. */
  readonly again: readonly Waiting[];
}

const GROUP_RECORDS = 4000;
const GROUP_CHARACTERS = 16 * 1024 * 1024;

export function createOutbox(write: Write): Outbox {
  const state: State = { write, queue: [], running: null, records: 0, size: 0, waiters: [] };
  return {
    add: (parcel) =>
      new Promise((resolve, reject) => {
        state.records += parcel.records.length;
        state.size += parcel.size;
        const settle = (error: unknown) => (error === null ? resolve() : reject(error));
        state.queue.push({ ...parcel, settle });
        void run(state);
      }),
    flush: async () => {
      if (state.running !== null) await state.running;
      return state.queue.length === 0 ? null : await run(state);
    },
    room: async () => {
      while (state.running !== null && isFull(state))
        await new Promise<void>((resolve) => state.waiters.push(resolve));
    },
  };
}

function isFull({ records, size }: State): boolean {
  return records >= GROUP_RECORDS || size >= GROUP_CHARACTERS;
}

function run(state: State): Promise<unknown> {
  state.running ??= writeAll(state);
  return state.running;
}

/** Writes everything that waits, each parcel once, and then what came meanwhile. Never rejects. */
async function writeAll(state: State): Promise<unknown> {
  let error: unknown;
  do {
    const round = state.queue;
    state.queue = [];
    const results: Result[] = [];
    for (const group of groupsOf(round)) results.push(await writeGroup(state, group));
    error = firstError(results);
    state.queue = [...results.flatMap(({ again }) => again), ...state.queue];
  } while (state.queue.some(({ settle }) => settle !== null));
  state.running = null;
  wake(state);
  return error;
}

async function writeGroup(state: State, group: readonly Waiting[]): Promise<Result> {
  try {
    await state.write(group.flatMap(({ records }) => records));
  } catch (error) {
    if (!(error instanceof StoreError)) return await withoutRefused(state, group, error);
    tell(group, error);
    return { error, again: group };
  }
  leave(state, group);
  for (const { stored } of group) stored();
  tell(group, null);
  return { error: null, again: [] };
}

/** Finds the parcel that was refused for its content by writing each by itself. */
async function withoutRefused(state: State, group: readonly Waiting[], error: unknown): Promise<Result> {
  if (group.length === 1) {
    leave(state, group);
    tell(group, error);
    return { error, again: [] };
  }
  const results: Result[] = [];
  for (const one of group) results.push(await writeGroup(state, [one]));
  return { error: firstError(results), again: results.flatMap(({ again }) => again) };
}

function firstError(results: readonly Result[]): unknown {
  return results.find(({ error }) => error !== null)?.error ?? null;
}

function leave(state: State, group: readonly Waiting[]): void {
  for (const { records, size } of group) {
    state.records -= records.length;
    state.size -= size;
  }
  wake(state);
}

function wake({ waiters }: State): void {
  for (const one of waiters.splice(0)) one();
}

function tell(group: readonly Waiting[], error: unknown): void {
  for (const one of group) {
    one.settle?.(error);
    one.settle = null;
  }
}

/** Whole parcels, up to so many records and characters a group. */
function groupsOf(parcels: readonly Waiting[]): Waiting[][] {
  const groups: Waiting[][] = [];
  let group: Waiting[] = [];
  let records = 0;
  let size = 0;
  for (const parcel of parcels) {
    const isLarger = records + parcel.records.length > GROUP_RECORDS || size + parcel.size > GROUP_CHARACTERS;
    if (group.length === 0 || isLarger) {
      group = [];
      groups.push(group);
      [records, size] = [0, 0];
    }
    group.push(parcel);
    records += parcel.records.length;
    size += parcel.size;
  }
  return groups;
}
