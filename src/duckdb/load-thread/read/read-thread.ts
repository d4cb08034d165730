import { EvalcubeError, type IngestError } from "../../../errors.ts";
import { ingestError } from "../../../ingest/formats/record-source.ts";
import type { IngestProgress } from "../../../ingest/load.ts";
import {
  noTally,
  readFirst,
  type Batch,
  type ReadTally,
  type Load,
  type ReadLoad,
} from "../../../ingest/read-load.ts";
import { InvalidRecord } from "../../../ingest/record/invalid-record.ts";
import type { StorableRecord } from "../../../ingest/writer.ts";
import type { TurnTaker } from "../../../model/turns.ts";
import type { FileToRead, FromReader, Refused, ToReader, ReadingOfRecords } from "./messages.ts";
import { unpackBatch } from "./pack-batch.ts";
import { unpackError } from "./pack-error.ts";
import { createWorkerSlot } from "./worker-slot.ts";

/** What a reading reports to, and its bounds. */
interface Notes {
  readonly tally: ReadTally;
  readonly signal: AbortSignal;
  readonly progress: (progress: IngestProgress) => void;
  readonly turns: TurnTaker;
}

type Batches = AsyncGenerator<Batch<StorableRecord>, void, undefined>;

/** A thread that reads files. */
export interface ReadThread {
  /** The batches of a file. Call `return` to stop reading. */
  readonly read: (file: FileToRead, notes: Notes) => Batches;
}

interface ReadThreadOptions {
  /** The thread ends when this aborts and nothing is read. */
  readonly closing?: AbortSignal;
  /** What to do where the thread ends with a file half read. */
  readonly advice: string;
}

/**
 * The thread starts with a file, and ends when none has come for a while. `program` is that of both threads of a load.
 */
export function createReadThread(program: string, { closing, advice }: ReadThreadOptions): ReadThread {
  const inboxes = new Map<number, Inbox<FromReader>>();
  const slot = createWorkerSlot<FromReader>({
    name: "evalcube read",
    program: () => program,
    data: () => ({ reads: true }),
    message: (message) => inboxes.get(message.reading)?.put(message),
    ended: (reason) => inboxes.forEach((inbox) => inbox.fail(reason)),
    closing,
  });
  let readings = 0;
  return {
    read: async function* (file, notes) {
      const reading = ++readings;
      const told = (reason: Error) => threadEnded(file.path, reason, advice);
      const worker = tryStart(slot.started, told);
      const letGo = slot.hold();
      const say = (message: ToReader) => worker.postMessage(message, []);
      const inbox = createInbox<FromReader>();
      inboxes.set(reading, inbox);
      const { signal } = notes;
      signal.addEventListener("abort", inbox.wake);
      say({ kind: "read", reading, file });
      try {
        yield* batchesOf(inbox, told, file, notes, () => say({ kind: "more", reading }));
      } finally {
        signal.removeEventListener("abort", inbox.wake);
        say({ kind: "stop", reading });
        inboxes.delete(reading);
        letGo();
      }
    },
  };
}

/** What `start` returns; throws `told(reason)` where no thread can be made. */
function tryStart<Started>(start: () => Started, told: (reason: Error) => Error): Started {
  try {
    return start();
  } catch (reason) {
    throw told(reason instanceof Error ? reason : new Error(String(reason)));
  }
}

async function* batchesOf(
  inbox: Inbox<FromReader>,
  told: (reason: Error) => Error,
  { path }: FileToRead,
  { tally, signal, progress, turns }: Notes,
  allowOneMore: () => void,
): Batches {
  for (;;) {
    const message = await inbox.next(signal, told);
    if (message.kind === "failed") throw unpackError(message.error, null);
    if (message.kind === "progress") {
      progress(message.progress);
      continue;
    }
    tally.received = message.received;
    for (const one of message.rejected) tally.rejected.push(refusal(path, one));
    if (message.kind === "end") return;
    allowOneMore();
    yield await unpackBatch(message.batch, turns);
  }
}

function refusal(source: string, { position, path, reason }: Refused): IngestError {
  return ingestError(source, position, new InvalidRecord(path, reason));
}

function threadEnded(path: string, cause: Error, advice: string): EvalcubeError {
  return new EvalcubeError(
    "thread_ended",
    `${path}: nothing of it is stored, because the thread that read it ended: ${cause.message}; ${advice}`,
    { cause },
  );
}

/** Messages that nobody has taken yet. */
interface Inbox<T> {
  readonly put: (message: T) => void;
  /** Nothing more will come. */
  readonly fail: (reason: Error) => void;
  /** Wakes `next`, which then checks its signal. */
  readonly wake: () => void;
  /**
   * The next message. Rejects when the signal aborts; once the sender has failed and all its messages are taken,
   * rejects with `told(reason)`.
   */
  readonly next: (signal: AbortSignal, told: (reason: Error) => Error) => Promise<T>;
}

function createInbox<T>(): Inbox<T> {
  const messages: T[] = [];
  let failure: Error | null = null;
  let resume: (() => void) | null = null;
  const wake = () => resume?.();
  return {
    wake,
    put: (message) => {
      messages.push(message);
      wake();
    },
    fail: (reason) => {
      failure = reason;
      wake();
    },
    next: async (signal, told) => {
      for (;;) {
        signal.throwIfAborted();
        const message = messages.shift();
        if (message !== undefined) return message;
        if (failure !== null) throw told(failure);
        await new Promise<void>((woken) => (resume = woken));
      }
    },
  };
}

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
