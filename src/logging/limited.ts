import type { Turns } from "../model/turns.ts";
import type { EvaluateOptions } from "./api.ts";
import type { Run } from "./run.ts";

/** What is under way in an evaluation and learns of its early end. */
interface Stopping {
  readonly reason: () => unknown;
  readonly isStopped: () => boolean;
  /** Aborts all that is under way, and all that enters later. The first reason counts. */
  readonly stop: (reason: unknown) => void;
  /** Resolves when `stop` is called. */
  readonly stopped: Promise<void>;
  readonly enter: (controller: AbortController) => void;
  readonly leave: (controller: AbortController) => void;
}

/** One list instead of `AbortSignal.any`, which stays with its signals as long as they live. */
export function createStopping(): Stopping {
  const running = new Set<AbortController>();
  const reasons: unknown[] = [];
  let tell: () => void;
  const stopped = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return {
    reason: () => reasons[0],
    isStopped: () => reasons.length > 0,
    stop: (reason) => {
      if (reasons.push(reason) > 1) return;
      for (const controller of running) controller.abort(reason);
      tell();
    },
    stopped,
    enter: (controller) => {
      running.add(controller);
      if (reasons.length > 0) controller.abort(reasons[0]);
    },
    leave: (controller) => running.delete(controller),
  };
}

/**
 * Runs work with a signal of its own. Rejects with `TimeoutError` when it lasts too long, whatever the work does then.
 * `what` begins the sentence of that error.
 */
export async function limited<T>(
  stopping: Stopping,
  what: string,
  timeoutMs: number | undefined,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  stopping.enter(controller);
  let timer: NodeJS.Timeout | undefined;
  try {
    const result = work(controller.signal);
    if (timeoutMs === undefined || !isThenable(result)) return await result;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const error = new DOMException(`${what} did not end within ${timeoutMs} ms`, "TimeoutError");
        controller.abort(error);
        reject(error);
      }, timeoutMs);
    });
    return await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
    stopping.leave(controller);
  }
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** Runs work that throws up to so many times more, after pauses that double. */
export async function retried<T>(stopping: Stopping, retries: number, work: () => Promise<T>): Promise<T> {
  for (let failed = 0; ; failed++) {
    try {
      return await work();
    } catch (error) {
      if (failed >= retries) throw error;
      await pause(stopping, Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failed));
      if (stopping.isStopped()) throw error;
    }
  }
}

/** Resolves after the time, or when the evaluation ends early. */
async function pause(stopping: Stopping, ms: number): Promise<void> {
  const controller = new AbortController();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    controller.signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
    stopping.enter(controller);
  });
  stopping.leave(controller);
}

function isThenable(value: unknown): boolean {
  return typeof value === "object" && value !== null && "then" in value;
}

/** A row that is to be asked, and which one of the data it is, from 1. */
export interface Item<Row> {
  readonly row: Row;
  readonly place: number;
}

/** What the workers of an evaluation share. */
export interface Loop<Row, Output> {
  readonly run: Run;
  readonly options: EvaluateOptions<Row, Output>;
  readonly total: number | null;
  readonly items: AsyncGenerator<Item<Row>, void>;
  readonly stopping: Stopping;
  readonly turns: Turns;
  /** Trials that have ended, and those of them in error with the first error. */
  readonly ended: { trials: number; errors: number; firstError: unknown };
}

/** A trial that cannot be written ends the evaluation. */
export function written<Row, Output>({ stopping }: Loop<Row, Output>, writing: Promise<void>): void {
  writing.catch(stopping.stop);
}
