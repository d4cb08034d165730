import type { RecordSource } from "../../ingest/formats/record-source.ts";
import type { StoreOptions } from "../file/store-options.ts";

/** To start a thread takes as long as to load a MB; to load so much keeps the event loop for a tenth of a second. */
const LARGE_BYTES = 8 * 1024 * 1024;

/** Whether a source is a file that a thread should read. */
export function isLargeFile(source: RecordSource): boolean {
  return source.isNdjsonFile === true && isLarge(source);
}

/** Whether a source is known to be large: a file, or texts that lie in memory. */
export function isLarge({ isNdjsonFile, inMemory, totalBytes }: RecordSource): boolean {
  return (isNdjsonFile ?? inMemory ?? false) && totalBytes !== null && totalBytes >= LARGE_BYTES;
}

/** Tells that files are read on the main thread from now on. */
export function warnOfNoThread(onWarning: StoreOptions["onWarning"], error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  const message = `no thread can be started to load files, so they are loaded on the main thread, more slowly: ${reason}`;
  onWarning?.({ code: "no_load_thread", message });
}
