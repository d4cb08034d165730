import { StoreError } from "../errors.ts";
import { abortWith, generatePieces } from "../flow/pieces.ts";
import { createClosing, createIntake, createInterrupts } from "../flow/tasks.ts";
import type { Connection } from "./connection.ts";

/** Work over one connection, until it is closed. */
export interface RemoteSession {
  readonly connection: Connection;
  /** Runs work with a signal that aborts as `signal` does, or by `interrupt`. */
  readonly run: <T>(work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal) => Promise<T>;
  /** Work that changes something: refused where the engine was opened for reading. */
  readonly change: RemoteSession["run"];
  /** Pieces that work writes, as they are read. */
  readonly pieces: <T>(
    produce: (write: (piece: T) => Promise<void>, signal: AbortSignal) => Promise<void>,
    signal?: AbortSignal,
  ) => AsyncGenerator<T, void, undefined>;
  readonly interrupt: () => void;
  readonly close: () => Promise<void>;
}

export function openRemoteSession(connection: Connection, readOnly: boolean): RemoteSession {
  const { address } = connection.place;
  const intake = createIntake();
  const interrupts = createInterrupts();
  const closing = createClosing(address, () => intake.close().then(connection.close));
  const run: RemoteSession["run"] = (work, signal) => intake.take(() => interrupts.around(work, signal));
  return {
    connection,
    run,
    change: async (work, signal) => {
      if (readOnly) throw new StoreError("read_only", `${address}: opened readOnly; nothing can be stored`);
      return await run(work, signal);
    },
    pieces: (produce, signal) =>
      generatePieces(
        (write, stop) => run((interrupted) => produce(write, interrupted), stop),
        closing.signal,
        signal,
      ),
    interrupt: () =>
      interrupts.interrupt(new StoreError("interrupted", "the engine was told to end what is under way")),
    close: closing.close,
  };
}

/** Runs work with a signal that aborts as `signal` does, or with `late` when so many milliseconds have passed. */
export async function withinTime<T>(
  ms: number,
  late: Error,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const unlink = abortWith(controller, [signal]);
  const timer = setTimeout(() => controller.abort(late), ms);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    unlink();
  }
}
