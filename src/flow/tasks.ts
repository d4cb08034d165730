import { setMaxListeners } from "node:events";
import { StoreError } from "../errors.ts";

/** Runs tasks one after another. */
export interface WriteQueue {
  /**
   * Runs `task` when all earlier tasks have ended, and then `afterwards`, whether the task fails or not; the next task
   * waits for both.
   */
  readonly add: <T>(task: () => Promise<T>, afterwards?: () => Promise<void>) => Promise<T>;
  /** Waits for all tasks that were added. */
  readonly ended: () => Promise<void>;
}

export function createWriteQueue(): WriteQueue {
  let last: Promise<void> = Promise.resolve();
  return {
    add: (task, afterwards) => {
      const added = last.then(task);
      last = added.then(
        () => afterwards?.(),
        () => afterwards?.(),
      );
      return added;
    },
    ended: () => last,
  };
}

/** Work that must end before what it uses is closed. */
export interface UnderWay {
  readonly track: <T>(task: Promise<T>) => Promise<T>;
  readonly count: () => number;
  /** Waits for all work under way, and for work that begins meanwhile. */
  readonly ended: () => Promise<void>;
}

export function createUnderWay(): UnderWay {
  const running = new Set<Promise<unknown>>();
  return {
    track: (task) => {
      const tracked = task.finally(() => running.delete(tracked));
      running.add(tracked);
      return tracked;
    },
    count: () => running.size,
    ended: async () => {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

/** Work that can be ended before its time. */
export interface Interrupts {
  /** Runs work with a signal that aborts as `signal` does, or with what `interrupt` was given. */
  readonly around: <T>(work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal) => Promise<T>;
  /** Ends what is under way and what waits; what begins later is not touched. */
  readonly interrupt: (reason: unknown) => void;
  readonly wasInterrupted: () => boolean;
}

export function createInterrupts(): Interrupts {
  const running = new Set<AbortController>();
  let wasInterrupted = false;
  return {
    around: async (work, signal) => {
      const stop = new AbortController();
      // With 0 clients of HTTP, which ask for the number, are told that this is no signal.
      setMaxListeners(Infinity, stop.signal);
      const follow = () => stop.abort(signal?.reason);
      if (signal?.aborted === true) follow();
      signal?.addEventListener("abort", follow, { once: true });
      running.add(stop);
      try {
        return await work(stop.signal);
      } finally {
        running.delete(stop);
        signal?.removeEventListener("abort", follow);
      }
    },
    interrupt: (reason) => {
      wasInterrupted = true;
      for (const stop of running) stop.abort(reason);
    },
    wasInterrupted: () => wasInterrupted,
  };
}

/** Takes work until it closes. */
interface Intake {
  /** Runs work; rejects with the error of a closed store from `close` on. */
  readonly take: <T>(work: () => Promise<T>) => Promise<T>;
  /** Takes nothing more; resolves when what was taken has ended. */
  readonly close: () => Promise<void>;
}

export function createIntake(): Intake {
  const underWay = createUnderWay();
  let isClosed = false;
  return {
    take: async (work) => {
      if (isClosed) throw closedError();
      return await underWay.track(work());
    },
    close: async () => {
      isClosed = true;
      await underWay.ended();
    },
  };
}

export function closedError(): StoreError {
  return new StoreError("closed", "the engine is closed; openEngine opens it again");
}

/** Ends a store once, however often it is asked to. */
export interface Closing {
  /** Aborts with the error of a closed store when `close` is called. */
  readonly signal: AbortSignal;
  readonly close: () => Promise<void>;
}

/** Creates the closing of a store; `end` is called once, when nothing new can begin. */
export function createClosing(path: string, end: () => Promise<void>): Closing {
  const closer = new AbortController();
  setMaxListeners(0, closer.signal);
  let closing: Promise<void> | null = null;
  return {
    signal: closer.signal,
    close: () => {
      closer.abort(new StoreError("closed", `${path}: the engine is closed; openEngine opens it again`));
      closing ??= end();
      return closing;
    },
  };
}
