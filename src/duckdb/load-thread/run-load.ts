import { packCounts, unpackCounts } from "../../ingest/counts.ts";
import { kindOf } from "../../ingest/loader.ts";
import { readLoad, type Load, type ReadLoad } from "../../ingest/read-load.ts";
import { openWriter } from "../load/session-writer.ts";
import { createRowCache, type RowCache } from "../../ingest/write/row-entries.ts";
import { writeLoads } from "../../ingest/write-loads.ts";
import type { StorableRecord, Writer } from "../../ingest/writer.ts";
import { packMemory, unpackMemory, type PackedMemory, type WriterMemory } from "../load/writer-memory.ts";
import type { Conventions } from "../../model/conventions.ts";
import { createTurnTaker } from "../../model/turns.ts";
import { createBufferPool } from "./pack-columns.ts";
import type { FailedMessage, SentLoad, ToThread, WriteMessage, WrittenMessage } from "./messages.ts";
import { packError } from "./read/pack-error.ts";
import { unpackSource } from "./pack-source.ts";
import { readInThread, createReadThread, type ReadThread } from "./read/read-thread.ts";
import { createRemoteTransaction, type RemoteTransaction, type Send } from "./remote-session.ts";

/** Nobody else waits for the event loop of the thread, but answers of the engine must be seen. */
const TURN_MS = 2;

/** A load that the thread has begun. */
interface Begun {
  readonly conventions: Conventions;
  readonly load: ReadLoad<StorableRecord>;
}

/** What the thread does with the messages of the engine. */
export function createThreadWork(send: Send, program: string | null): (message: ToThread) => Promise<void> {
  const pool = createBufferPool();
  const advice = "openEngine with threads: 1 loads without threads";
  const readThread = program === null ? null : createReadThread(program, { advice });
  let aborter = new AbortController();
  let begun: Begun | null = null;
  let transaction: RemoteTransaction | null = null;
  /** Rows that the last load met. */
  let rows: RowCache | null = null;
  const take = (): Begun | null => {
    const taken = begun;
    begun = null;
    return taken;
  };
  const write = async ({ memory, rowBytes, wroteLast }: WriteMessage): Promise<void> => {
    const load = take();
    if (load === null) throw new Error("no load is begun");
    if (!wroteLast || rows === null) rows = createRowCache(rowBytes);
    transaction = createRemoteTransaction(send, pool);
    await writeLoad(load, memory, { cache: rows, transaction, send });
  };
  return async (message) => {
    if (message.kind === "read") {
      aborter = new AbortController();
      await drop(take());
      begun = await begin(message.load, { signal: aborter.signal, send, readThread });
    } else if (message.kind === "write") await write(message);
    else if (message.kind === "abort") aborter.abort();
    else if (message.kind === "drop") await drop(take());
    else if (message.kind === "used") pool.giveBack(message.buffers);
    else if (message.kind === "answer") transaction?.answer(message.id, message.answer);
    else transaction?.refuse(message.id);
  };
}

async function drop(begun: Begun | null): Promise<void> {
  await begun?.load.rest?.return();
}

interface Beginning {
  readonly signal: AbortSignal;
  readonly send: Send;
  /** Null where files are read here, too. */
  readonly readThread: ReadThread | null;
}

/** Reads the first batch of a load. */
async function begin(sent: SentLoad, beginning: Beginning): Promise<Begun | null> {
  const { conventions } = sent;
  const { send } = beginning;
  try {
    const load = await readBegun(sent, beginning);
    send({ kind: "begun", records: load.records, characters: load.bytes });
    return { conventions, load };
  } catch (error) {
    send({ kind: "failed", error: packError(error), memory: null });
    return null;
  }
}

/** A file is read in a thread of its own where there is one, all else here. */
function readBegun(
  sent: SentLoad,
  { signal, send, readThread }: Beginning,
): Promise<ReadLoad<StorableRecord>> {
  const { kind, conventions } = sent;
  const load = loadOf(sent, signal, send);
  const turns = createTurnTaker(TURN_MS);
  if (readThread !== null && load.source.isNdjsonFile === true)
    return readInThread(readThread, sent, { load, signal, turns });
  return readLoad(load, kindOf(kind, conventions).reader(load.options), turns);
}

function loadOf({ source, options, tellsProgress, counts }: SentLoad, signal: AbortSignal, send: Send): Load {
  return {
    source: unpackSource(source),
    options: {
      ...options,
      signal,
      ...(tellsProgress ? { onProgress: (progress) => send({ kind: "progress", progress }) } : {}),
    },
    alone: true,
    counts: unpackCounts(counts),
  };
}

interface Writing {
  readonly cache: RowCache;
  readonly transaction: RemoteTransaction;
  readonly send: Send;
}

/** Writes a load, and gives back what it remembers. */
async function writeLoad(
  { load, conventions }: Begun,
  given: PackedMemory,
  { cache, transaction, send }: Writing,
): Promise<void> {
  const memory: WriterMemory = { catalog: null, cache, met: new Map(), hashes: null };
  unpackMemory(memory, given);
  const ended = await outcomeOf(load, () =>
    openWriter(transaction.behind, conventions, memory, createTurnTaker(TURN_MS)),
  );
  send({ ...ended, memory: packMemory(memory) });
}

async function outcomeOf(
  load: ReadLoad<StorableRecord>,
  open: () => Promise<Writer>,
): Promise<Omit<WrittenMessage, "memory"> | Omit<FailedMessage, "memory">> {
  try {
    const [outcome] = await writeLoads(await open(), [load]);
    if (outcome === undefined) throw new Error("a load has no outcome");
    if ("refused" in outcome) return { kind: "failed", error: packError(outcome.refused) };
    const { result, counts } = outcome.value;
    return { kind: "written", result, counts: packCounts(counts) };
  } catch (error) {
    return { kind: "failed", error: packError(error) };
  } finally {
    await load.rest?.return();
  }
}
