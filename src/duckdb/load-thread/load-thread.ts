import { Worker } from "node:worker_threads";
import type { FromThread, ToThread } from "./messages.ts";

/** What hears of the thread while it loads something. */
interface Listener {
  readonly message: (message: FromThread) => void;
  /** The thread has ended, and with it what it was doing. */
  readonly ended: (reason: Error) => void;
}

/** A thread that is there whenever somebody holds it. */
export interface LoadThread {
  /** Starts the thread where there is none; throws where none can be. Returns the function that lets go of it. */
  readonly hold: () => Promise<() => void>;
  /** Holds the thread where it is there and nobody else holds it; returns null otherwise. */
  readonly holdResting: () => (() => void) | null;
  /** Who hears of the thread from now on, and holds it until the function that is returned is called. One at a time. */
  readonly listen: (listener: Listener) => () => void;
  readonly send: (message: ToThread, moved?: readonly ArrayBuffer[]) => void;
}

/** How long the thread waits for another load. Its code is warm and it knows the rows; but its heap takes tens of MB. */
const IDLE_MS = 2000;

/** A batch fits in, so that its records are not copied again and again before they are garbage. */
const YOUNG_MB = 48;

/** The thread lets the process end while nobody holds it. */
export function createLoadThread(code: () => Promise<string>, closing: AbortSignal): LoadThread {
  let program = "";
  let listener: Listener | null = null;
  let idle: NodeJS.Timeout | undefined;
  const slot = createSlot(() => listener);
  const wake = () => {
    clearTimeout(idle);
    slot.worker()?.ref();
  };
  const rest = () => {
    slot.worker()?.unref();
    if (closing.aborted) slot.end();
    else idle = setTimeout(slot.end, IDLE_MS).unref();
  };
  const { hold, isHeld } = createHold(wake, rest);
  closing.addEventListener("abort", () => void (isHeld() || slot.end()), { once: true });
  return {
    hold: async () => {
      program = await code();
      slot.started(program);
      return hold();
    },
    holdResting: () => (slot.worker() === null || isHeld() ? null : hold()),
    listen: (next) => {
      listener = next;
      return hold();
    },
    // A load that comes after one with which the thread ended gets a new one.
    send: (message, moved = []) => slot.started(program).postMessage(message, moved),
  };
}

/** Holds a worker, or none. */
function createSlot(listener: () => Listener | null) {
  let worker: Worker | null = null;
  const ended = (reason: Error, one: Worker) => {
    if (worker !== one) return;
    worker = null;
    listener()?.ended(reason);
  };
  return {
    worker: () => worker,
    started: (program: string): Worker =>
      (worker ??= startWorker(program, (message) => listener()?.message(message), ended)),
    end: () => {
      void worker?.terminate();
      worker = null;
    },
  };
}

/** Counts who holds something; calls `ended` whenever the last one lets go. */
function createHold(began: () => void, ended: () => void) {
  const holders = new Set<object>();
  return {
    isHeld: () => holders.size > 0,
    hold: (): (() => void) => {
      const holder = {};
      holders.add(holder);
      began();
      return () => {
        if (holders.delete(holder) && holders.size === 0) ended();
      };
    },
  };
}

function startWorker(
  program: string,
  message: (message: FromThread) => void,
  ended: (reason: Error, worker: Worker) => void,
): Worker {
  const worker = new Worker(program, {
    eval: true,
    name: "evalcube load",
    execArgv: [],
    workerData: { reads: false, program },
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  worker.on("message", message);
  worker.on("error", (error) => ended(error, worker));
  worker.on("exit", (status) => ended(new Error(`it ended with status ${status}`), worker));
  return worker;
}
