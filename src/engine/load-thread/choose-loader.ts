import type { Loader } from "../../ingest/loader.ts";
import type { RecordSource } from "../../ingest/formats/record-source.ts";
import type { EngineOptions } from "../engine-options.ts";
import type { LoadThread } from "./load-thread.ts";

/** Where a load may run. */
interface Places {
  readonly thread: LoadThread;
  readonly inThread: Loader;
  readonly inProcess: Loader;
}

/** Loads large files in a thread, and all else in the process itself; there everything, once no thread could be started. */
export function chooseLoader(
  { thread, inThread, inProcess }: Places,
  onWarning: EngineOptions["onWarning"],
): Loader {
  let canThread = true;
  return async (kind, load) => {
    if (!canThread || !isLarge(load.source)) return inProcess(kind, load);
    let letGo: () => void;
    try {
      letGo = await thread.hold();
    } catch (error) {
      canThread = false;
      onWarning?.({ code: "no_load_thread", message: noThread(error) });
      return inProcess(kind, load);
    }
    try {
      return await inThread(kind, load);
    } finally {
      letGo();
    }
  };
}

/** To start a thread takes as long as to load a MB. */
const LARGE_BYTES = 8 * 1024 * 1024;

function isLarge({ isNdjsonFile, totalBytes }: RecordSource): boolean {
  return isNdjsonFile === true && totalBytes !== null && totalBytes >= LARGE_BYTES;
}

function noThread(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `no thread can be started to load files, so they are loaded on the main thread, more slowly: ${reason}`;
}
