import type { IngestError } from "../../../errors.ts";
import { InvalidRecord } from "../../../ingest/record/invalid-record.ts";
import { fileBytes } from "../../../ingest/formats/record-source.ts";
import { ndjsonSource } from "../../../ingest/formats/ndjson.ts";
import { kindOf } from "../../../ingest/loader.ts";
import type { IngestProgress } from "../../../ingest/load.ts";
import { noTally, readBatches } from "../../../ingest/read-load.ts";
import { createTurnTaker } from "../../../model/turns.ts";
import type { FileToRead, FromReader, Refused, ToReader } from "./messages.ts";
import { packBatches } from "./pack-batch.ts";
import { packError } from "./pack-error.ts";

type Send = (message: FromReader, moved?: readonly ArrayBuffer[]) => void;

/** So many batches may be read that nobody has asked for yet. */
const MOST_AHEAD = 2;
/**
 * Records are packed as soon as those of a block are read, so that they are garbage before a collection copies them.
 */
const PIECE = { records: 1, characters: 1 };
/** Nobody waits for the event loop of the thread, but what is said to it must be heard. */
const TURN_MS = 2;

/** A reading that is under way. */
interface Reading {
  readonly stop: () => void;
  readonly allowOneMore: () => void;
}

/** What the thread does with what is said to it. */
export function createReadWork(send: Send): (message: ToReader) => void {
  const readings = new Map<number, Reading>();
  return (message) => {
    const { kind, reading } = message;
    if (kind === "read") readings.set(reading, startReading(message.file, reading, send));
    else if (kind === "more") readings.get(reading)?.allowOneMore();
    else {
      readings.get(reading)?.stop();
      readings.delete(reading);
    }
  };
}

function startReading(file: FileToRead, reading: number, send: Send): Reading {
  const aborter = new AbortController();
  let left = MOST_AHEAD;
  let goOn: (() => void) | null = null;
  const mayGoOn = async () => {
    if (--left <= 0 && !aborter.signal.aborted) await new Promise<void>((resume) => (goOn = resume));
  };
  void readFile(file, aborter.signal, mayGoOn, (message, moved) => send({ ...message, reading }, moved));
  return {
    stop: () => {
      aborter.abort();
      goOn?.();
    },
    allowOneMore: () => {
      left++;
      goOn?.();
    },
  };
}

type Unnumbered<T> = T extends unknown ? Omit<T, "reading"> : never;

async function readFile(
  { kind, path, totalBytes, options, tellsProgress, conventions }: FileToRead,
  signal: AbortSignal,
  mayGoOn: () => Promise<void>,
  send: (message: Unnumbered<FromReader>, moved?: readonly ArrayBuffer[]) => void,
): Promise<void> {
  const tally = noTally();
  const news = () => ({ received: tally.received, rejected: tally.rejected.splice(0).map(refused) });
  const load = {
    source: ndjsonSource(fileBytes(path), path, totalBytes),
    options: {
      ...options,
      signal,
      ...(tellsProgress
        ? { onProgress: (progress: IngestProgress) => send({ kind: "progress", progress }) }
        : {}),
    },
  };
  const reader = kindOf(kind, conventions).reader(options);
  try {
    for await (const { batch, moved } of packBatches(
      readBatches(load, reader, tally, createTurnTaker(TURN_MS), PIECE),
    )) {
      send({ kind: "batch", batch, ...news() }, moved);
      await mayGoOn();
    }
    send({ kind: "end", ...news() });
  } catch (error) {
    send({ kind: "failed", error: packError(error) });
  }
}

function refused({ position, path, message, cause }: IngestError): Refused {
  return { position, path, reason: cause instanceof InvalidRecord ? cause.reason : message };
}
