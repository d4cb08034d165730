import type { Loader } from "../../ingest/loader.ts";
import type { Load } from "../../ingest/read-load.ts";
import { isSoonPacked, type WriterMemory } from "../load/writer-memory.ts";
import type { StoreOptions } from "../file/store-options.ts";
import { isLarge, warnOfNoThread } from "./read-large-files.ts";
import type { LoadThread } from "./load-thread.ts";

/** Where a load may run, and what all loads remember. */
interface Places {
  readonly thread: LoadThread;
  readonly inThread: Loader;
  readonly inProcess: Loader;
  readonly memory: WriterMemory;
}

/**
 * Loads large files and texts in a thread, and small arrays where the thread is there and rests; all else in the process itself, and everything
 * once no thread could be started.
 */
export function chooseLoader(
  { thread, inThread, inProcess, memory }: Places,
  onWarning: StoreOptions["onWarning"],
): Loader {
  let canThread = true;
  const hold = async (): Promise<(() => void) | null> => {
    try {
      return await thread.hold();
    } catch (error) {
      canThread = false;
      warnOfNoThread(onWarning, error);
      return null;
    }
  };
  /** Loads in the process itself that have not ended: a small one that comes after them joins them, and does not overtake them. */
  let running = 0;
  const holdResting = ({ source, alone }: Load): (() => void) | null =>
    running === 0 && source.isSmall === true && !alone && isSoonPacked(memory) ? thread.holdResting() : null;
  return async (kind, load) => {
    const letGo = canThread && isLarge(load.source) ? await hold() : holdResting(load);
    if (letGo === null) running++;
    try {
      return await (letGo === null ? inProcess : inThread)(kind, load);
    } finally {
      if (letGo === null) running--;
      else letGo();
    }
  };
}
