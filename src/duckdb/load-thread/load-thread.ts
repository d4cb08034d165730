import type { FromThread, ToThread } from "./messages.ts";
import type { FileStore } from "../../store/session.ts";
import { createWorkerSlot } from "./read/worker-slot.ts";

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
  /** Sets the one listener of the thread; call the returned function to let go. */
  readonly listen: (listener: Listener) => () => void;
  readonly send: (message: ToThread, moved?: readonly ArrayBuffer[]) => void;
}

/** With less memory the thread reads files itself: one that reads them takes some 80 MB. */
const LEAST_TO_READ_APART = 512 * 1024 * 1024;

/** The thread waits a while for another load: it knows the rows of the last one. */
export function createLoadThread(
  code: () => Promise<string>,
  { closing, memoryBytes }: Pick<FileStore, "closing" | "memoryBytes">,
): LoadThread {
  const isSmall = memoryBytes < LEAST_TO_READ_APART;
  let program = "";
  let listener: Listener | null = null;
  const slot = createWorkerSlot<FromThread>({
    name: "evalcube load",
    program: () => program,
    data: (text) => ({ reads: false, program: isSmall ? null : text }),
    isSmall,
    message: (message) => listener?.message(message),
    ended: (reason) => listener?.ended(reason),
    closing,
  });
  return {
    hold: async () => {
      program = await code();
      slot.started();
      return slot.hold();
    },
    holdResting: () => (!slot.isThere() || slot.isHeld() ? null : slot.hold()),
    listen: (next) => {
      listener = next;
      return slot.hold();
    },
    // A load that comes after one with which the thread ended gets a new one.
    send: (message, moved = []) => slot.started().postMessage(message, moved),
  };
}
