import { availableParallelism } from "node:os";
import { EvalcubeError } from "../../errors.ts";
import type { Load, ReadLoad } from "../../ingest/read-load.ts";
import { readHere, type ReadRecords } from "../../ingest/loader.ts";
import type { RecordKind } from "../../ingest/formats/record-kind.ts";
import type { StorableRecord } from "../../ingest/writer.ts";
import type { Conventions } from "../../model/conventions.ts";
import { createTurnTaker } from "../../model/turns.ts";
import type { StoreOptions } from "../file/store-options.ts";
import { readInThread, createReadThread, type ReadThread } from "./read/read-thread.ts";
import type { RecordSource } from "../../ingest/formats/record-source.ts";

interface Reading {
  readonly code: () => Promise<string>;
  readonly conventions: Conventions;
  readonly closing: AbortSignal;
  readonly onWarning: StoreOptions["onWarning"];
}

/**
 * Reads large files in a thread; all else in the process itself, and everything once no thread could be started, or
 * with one core.
 */
export function readLargeFiles({ code, conventions, closing, onWarning }: Reading): ReadRecords {
  const here = readHere(conventions);
  let thread: ReadThread | null = null;
  let canThread = availableParallelism() > 1;
  const started = async () =>
    (thread ??= createReadThread(await code(), { closing, advice: "load it again" }));
  const inThread: ReadRecords = async (kind, load) => {
    const begun = await begin(started, kind, load, conventions);
    if ("load" in begun) return begun.load;
    canThread = false;
    warnOfNoThread(onWarning, begun.reason);
    return await here(kind, load);
  };
  return (kind, load) => (canThread && isLargeFile(load.source) ? inThread : here)(kind, load);
}

/** The load whose first batch the thread has read, or why there is no thread. */
async function begin(
  started: () => Promise<ReadThread>,
  kind: RecordKind | "mixed",
  load: Load,
  conventions: Conventions,
): Promise<{ readonly load: ReadLoad<StorableRecord> } | { readonly reason: unknown }> {
  let thread;
  try {
    thread = await started();
  } catch (reason) {
    return { reason };
  }
  const { onInvalid = "fail", partial = false, sender, user, signal = NEVER, onProgress } = load.options;
  const tellsProgress = onProgress !== undefined;
  const reading = { kind, conventions, options: { onInvalid, partial, sender, user }, tellsProgress };
  try {
    return { load: await readInThread(thread, reading, { load, signal, turns: createTurnTaker() }) };
  } catch (error) {
    if (error instanceof EvalcubeError && error.code === "thread_ended") return { reason: error.cause };
    throw error;
  }
}

const NEVER = new AbortController().signal;

/** Starting a thread takes as long as loading a MB; loading so much keeps the event loop for a tenth of a second. */
const LARGE_BYTES = 8 * 1024 * 1024;

/** Whether a source is a file that a thread should read. */
function isLargeFile(source: RecordSource): boolean {
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
