import { noTally, readFirst, type Load, type ReadLoad } from "../../../ingest/read-load.ts";
import type { StorableRecord } from "../../../ingest/writer.ts";
import type { TurnTaker } from "../../../model/turns.ts";
import type { ReadingOfRecords } from "./messages.ts";
import type { ReadThread } from "./read-thread.ts";

interface Taking {
  readonly load: Load;
  /** Ends the reading. */
  readonly signal: AbortSignal;
  /** What is read is taken over in turns. */
  readonly turns: TurnTaker;
}

/** Reads the first batch of a load of an NDJSON file in a thread. */
export function readInThread(
  thread: ReadThread,
  { kind, options, tellsProgress, conventions }: ReadingOfRecords,
  { load, signal, turns }: Taking,
): Promise<ReadLoad<StorableRecord>> {
  const { name: path, totalBytes } = load.source;
  const tally = noTally();
  const progress = load.options.onProgress ?? (() => undefined);
  const file = { kind, path, totalBytes, options, tellsProgress, conventions };
  return readFirst(load, tally, thread.read(file, { tally, signal, progress, turns }));
}
