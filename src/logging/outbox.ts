import { StoreError } from "../errors.ts";
import type { CallRecord } from "../ingest/record/sent-records.ts";

/** Records that are stored together. */
export interface Parcel {
  readonly records: readonly CallRecord[];
  /** About so many characters of JSON. */
  readonly size: number;
  /** How many trials the records are. */
  readonly trials: number;
  /** Called when the parcel is durable, at the first try or later, or needed no more. */
  readonly stored: () => void;
  /** Whether a later parcel has all of it and more; it must then not be written after that. */
  readonly isOutdated?: () => boolean;
}

/** Keeps what is not durable. The engine writes it in groups, those of all loggers together. */
export interface Outbox {
  /**
   * Resolves when the parcel is durable, rejects when its first write failed. It then stays here and is tried again
   * with the next parcel and by `flush`; one that was refused for its content does not stay.
   */
  readonly add: (parcel: Parcel) => Promise<void>;
  /**
   * Tries again what failed, and waits for all; resolves to the error of a parcel that is still not durable, or null.
   */
  readonly flush: () => Promise<unknown>;
  /** What is still not durable because its last write failed. */
  readonly failed: () => readonly Failed[];
  /** Resolves when less waits than one group of the engine holds. */
  readonly room: () => Promise<void>;
}

interface Failed {
  readonly parcel: Parcel;
  readonly error: unknown;
}

type Write = (records: readonly CallRecord[]) => Promise<unknown>;

interface State {
  readonly write: Write;
  /** Parcels on their way, and how much they hold. */
  readonly sent: Set<Promise<unknown>>;
  records: number;
  size: number;
  /** What failed, in the order in which it was added, with its last error. */
  failed: Failed[];
  /** Those who wait for room. */
  readonly waiters: (() => void)[];
}

/** What a group of the engine holds. */
const GROUP_RECORDS = 4000;
const GROUP_CHARACTERS = 16 * 1024 * 1024;

export function createOutbox(write: Write): Outbox {
  const state: State = { write, sent: new Set(), records: 0, size: 0, failed: [], waiters: [] };
  return {
    add: async (parcel) => {
      sendAgain(state);
      const error = await send(state, parcel);
      if (error !== null) throw error;
    },
    flush: async () => {
      // A parcel on its way may fail, and then deserves the same second try.
      await Promise.all(state.sent);
      sendAgain(state);
      while (state.sent.size > 0) await Promise.all(state.sent);
      return state.failed[0]?.error ?? null;
    },
    failed: () => state.failed.filter(({ parcel }) => parcel.isOutdated?.() !== true),
    room: async () => {
      while (isFull(state)) await new Promise<void>((resolve) => state.waiters.push(resolve));
    },
  };
}

function isFull({ records, size }: State): boolean {
  return records >= GROUP_RECORDS || size >= GROUP_CHARACTERS;
}

function sendAgain(state: State): void {
  const { failed } = state;
  state.failed = [];
  for (const { parcel } of failed)
    if (parcel.isOutdated?.() === true) parcel.stored();
    else void send(state, parcel);
}

/** Writes a parcel; resolves to its error, or null. */
function send(state: State, parcel: Parcel): Promise<unknown> {
  state.records += parcel.records.length;
  state.size += parcel.size;
  const sending = attempt(state, parcel).finally(() => {
    state.sent.delete(sending);
    state.records -= parcel.records.length;
    state.size -= parcel.size;
    for (const resolve of state.waiters.splice(0)) resolve();
  });
  state.sent.add(sending);
  return sending;
}

async function attempt(state: State, parcel: Parcel): Promise<unknown> {
  try {
    await state.write(parcel.records);
  } catch (error) {
    if (error instanceof StoreError) state.failed.push({ parcel, error });
    return error;
  }
  parcel.stored();
  return null;
}

/** A promise that may be dropped: its rejection is never an unhandled one, and it knows whether anybody listens. */
export class Droppable<T> extends Promise<T> {
  #isHeard = false;

  static from<T>(promise: Promise<T>): Droppable<T> {
    const made = new Droppable<T>((resolve, reject) => {
      promise.then(resolve, reject);
    });
    // Called on the base class, so that it does not count as listening.
    void Promise.prototype.then.call(made, undefined, () => undefined);
    return made;
  }

  /** What is made from it is a plain promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  get isHeard(): boolean {
    return this.#isHeard;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise already
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#isHeard = true;
    return super.then(onFulfilled, onRejected);
  }
}
