import { randomUUID } from "node:crypto";
import { StoreError } from "../../errors.ts";
import { createCallReading } from "../../ingest/record/call-reading.ts";
import type { Writer, Writers } from "../../ingest/writer.ts";
import { createTurnTaker } from "../../model/turns.ts";
import type { Write } from "../../store/session.ts";
import { createWriteQueue } from "../../flow/tasks.ts";
import type { ClickHouseDatabase } from "../open/open-database.ts";
import { readCommits, withLoads } from "../lookup/visible.ts";
import { commitLoad } from "./commit-load.ts";
import { MustRepeat } from "./conflicts.ts";
import { readDictionaries, type Known } from "../lookup/dictionaries.ts";
import { createFilters, type LoadState } from "./load-state.ts";
import { createMetCalls } from "../lookup/met-calls.ts";
import { maintain } from "./maintain.ts";
import { beginLoad } from "./open-load.ts";
import { readStoredSteps } from "./read-stored-steps.ts";
import { createStoredCalls } from "../lookup/stored-calls.ts";
import { countKeys, halvesOf, noKeys, readKeys } from "../lookup/stored-keys.ts";
import { createStoredRows } from "../lookup/stored-rows.ts";
import { writeBatch } from "./write-batch.ts";

/** A writer maintains the database at most so often. */
const MAINTAIN_MS = 60_000;
/** So often a load is read again that another writer forestalled. */
const ATTEMPTS = 20;

/** The writers of a database in one process. */
export interface DatabaseWriters extends Writers {
  /** Reads the steps of calls that were stored without. Throws `StoreError`. */
  readonly readStoredSteps: () => Promise<void>;
  /** Waits for what goes on behind loads. Call it before the client closes. */
  readonly ended: () => Promise<void>;
}

/** The writers of one process: one writes at a time, beside those of other processes. */
export function createWriters(database: ClickHouseDatabase, closing: AbortSignal): DatabaseWriters {
  const queue = createWriteQueue();
  const memory: Memory = {
    writer: randomUUID(),
    known: null,
    maintainedAt: Date.now(),
    maintaining: Promise.resolve(),
  };
  const write: Write<LoadState> = async (work, signal) => {
    for (let left = ATTEMPTS; left > 0; left--) {
      const done = await attempt(database, memory, work, signal);
      if (done === null) continue;
      maintainSometimes(database, memory);
      return done.result;
    }
    throw new MustRepeat();
  };
  const writeRecords: Write<Writer> = (work, signal) => write((state) => work(writerOf(state)), signal);
  return {
    readStoredSteps: () => readStoredSteps(database, (work) => queue.add(() => write(work, closing))),
    closing,
    inTurn: async (turn) => {
      closing.throwIfAborted();
      checkWritable(database);
      return queue.add(() => turn(writeRecords));
    },
    rolledBack: () => {
      memory.known = null;
    },
    ended: async () => {
      await queue.ended();
      await memory.maintaining;
    },
  };
}

export function checkWritable({ name, readOnly }: ClickHouseDatabase): void {
  if (readOnly) throw new StoreError("read_only", `${name}: opened readOnly; nothing can be stored`);
}

/** What the writers of a process remember between loads. */
interface Memory {
  readonly writer: string;
  known: Known | null;
  maintainedAt: number;
  maintaining: Promise<void>;
}

/** Behind a load, no load waits for it. What fails is done by the next one, or by another process. */
function maintainSometimes(database: ClickHouseDatabase, memory: Memory): void {
  if (Date.now() - memory.maintainedAt < MAINTAIN_MS) return;
  memory.maintainedAt = Date.now();
  memory.maintaining = memory.maintaining.then(() => maintain(database)).then(nothing, nothing);
}

/** Writes and commits once; null where it is to be done again. */
async function attempt<T>(
  database: ClickHouseDatabase,
  memory: Memory,
  work: (state: LoadState) => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<{ readonly result: T } | null> {
  signal?.throwIfAborted();
  const state = await openState(database, memory.writer, memory.known);
  // What is known is of loads that may fail until this one is committed.
  memory.known = null;
  try {
    const result = await work(state);
    memory.known = await commitLoad(state, signal);
    return { result };
  } catch (error) {
    await state.open.giveUp();
    // What is in memory can be written again; a source that is read as it is written is gone.
    if (error instanceof MustRepeat && !state.isLarge) return null;
    throw error;
  } finally {
    state.open.stop();
  }
}

async function openState(
  database: ClickHouseDatabase,
  writer: string,
  before: Known | null,
): Promise<LoadState> {
  const { client, shards, hasCoordinator, conventions } = database;
  const snapshot = await readCommits(client, hasCoordinator, before === null ? {} : { since: before.commit });
  const known = await readDictionaries(client, snapshot, before);
  const open = await beginLoad(database, snapshot, writer);
  const visible = withLoads(snapshot, [open.outbox.load]);
  const keys = () => known.keys;
  const [met, turns, filters] = [createMetCalls(keys), createTurnTaker(), createFilters()];
  const reading = createCallReading(conventions);
  const source = { client, visible, projects: known.known, turns, keys, outbox: open.outbox };
  return {
    client,
    shards,
    hasCoordinator,
    writer,
    reading,
    turns,
    snapshot,
    open,
    known,
    met,
    calls: createStoredCalls({ ...source, reading, met, looked: filters.looked }),
    rows: createStoredRows(source),
    ...filters,
    again: new Map(),
    evaluations: new Map(),
    position: 0,
    isLarge: false,
    batches: 0,
    storedKeys: 0,
  };
}

/** Keys that are read cost as much as the look-ups of a batch that they spare: about. */
const KEYS_A_BATCH = 100_000;

/** Reads the keys of what is stored once the load has come so far that it pays. */
async function readKeysOnce({ client, known, open, isLarge, batches, storedKeys }: LoadState): Promise<void> {
  if (!isLarge || known.keys !== null || storedKeys > batches * KEYS_A_BATCH) return;
  const keys = noKeys();
  // Of what the load has met, the last batch alone is added when the next one ends.
  await open.outbox.flush(["call_groups", "row_digests"]);
  for (const { key } of known.evaluations.values()) keys.groups.add(halvesOf(BigInt(key)));
  await readKeys(client, keys, null);
  known.keys = keys;
}

const nothing = () => Promise.resolve();

function writerOf(state: LoadState): Writer {
  return {
    write: (batch, owners) => writeBatch(state, batch, owners),
    endBatch: async () => {
      state.batches++;
      await state.open.outbox.flushMany();
      await readKeysOnce(state);
    },
    becomesLarge: async () => {
      state.isLarge = true;
      state.storedKeys = await countKeys(state.client);
      await state.open.begin();
    },
    // What is left is sent with the commit.
    finish: nothing,
    stop: nothing,
    isEvaluation: (identity) => state.known.evaluations.has(identity),
  };
}
