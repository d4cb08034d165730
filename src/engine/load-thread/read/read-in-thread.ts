import type { RecordKind } from "../../../ingest/formats/record-kind.ts";
import { noTally, readFirst, type Load, type ReadLoad } from "../../../ingest/read-load.ts";
import type { StorableRecord } from "../../../ingest/writer.ts";
import type { Conventions } from "../../../model/conventions.ts";
import type { ReadThread } from "./read-thread.ts";

/** Reads the first batch of a load of an NDJSON file in a thread. */
export function readInThread(
  thread: ReadThread,
  kind: RecordKind | "mixed",
  conventions: Conventions,
  signal: AbortSignal,
  load: Load,
): Promise<ReadLoad<StorableRecord>> {
  const { source, options } = load;
  const { onInvalid, partial, onProgress } = options;
  const tally = noTally();
  const file = {
    kind,
    path: source.name,
    totalBytes: source.totalBytes,
    options: {
      ...(onInvalid === undefined ? {} : { onInvalid }),
      ...(partial === undefined ? {} : { partial }),
    },
    tellsProgress: onProgress !== undefined,
    conventions,
  };
  return readFirst(
    load,
    tally,
    thread.read(file, { tally, signal, progress: onProgress ?? (() => undefined) }),
  );
}
