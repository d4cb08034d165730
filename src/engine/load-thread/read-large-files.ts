import { availableParallelism } from "node:os";
import type { Load } from "../../ingest/read-load.ts";
import { readHere, type ReadRecords } from "../../ingest/loader.ts";
import type { RecordKind } from "../../ingest/formats/record-kind.ts";
import type { Conventions } from "../../model/conventions.ts";
import { createTurnTaker } from "../../model/turns.ts";
import type { EngineOptions } from "../engine-options.ts";
import { isLarge, warnOfNoThread } from "./large-files.ts";
import { readInThread } from "./read/read-in-thread.ts";
import { createReadThread, type ReadThread } from "./read/read-thread.ts";

interface Reading {
  readonly code: () => Promise<string>;
  readonly conventions: Conventions;
  readonly closing: AbortSignal;
  readonly onWarning: EngineOptions["onWarning"];
}

/** Reads large files in a thread; all else in the process itself, and everything once no thread could be started, or with one core. */
export function readLargeFiles({ code, conventions, closing, onWarning }: Reading): ReadRecords {
  const here = readHere(conventions);
  let thread: ReadThread | null = null;
  let canThread = availableParallelism() > 1;
  const started = async (): Promise<ReadThread | null> => {
    try {
      return (thread ??= createReadThread(await code(), { closing, advice: "load it again" }));
    } catch (error) {
      canThread = false;
      warnOfNoThread(onWarning, error);
      return null;
    }
  };
  const inThread = async (kind: RecordKind | "mixed", load: Load) => {
    const reader = await started();
    if (reader === null) return await here(kind, load);
    const { onInvalid = "fail", partial = false, signal, onProgress } = load.options;
    const reading = {
      kind,
      conventions,
      options: { onInvalid, partial },
      tellsProgress: onProgress !== undefined,
    };
    return await readInThread(reader, reading, { load, signal: signal ?? NEVER, turns: createTurnTaker() });
  };
  return (kind, load) => (canThread && isLarge(load.source) ? inThread : here)(kind, load);
}

const NEVER = new AbortController().signal;
