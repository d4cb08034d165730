import { availableParallelism, totalmem } from "node:os";
import { DUCKDB, MOST_PLACES } from "./dialect/dialect.ts";
import { StoreError } from "../errors.ts";
import { SCRATCH } from "../store/query.ts";
import type { FileStore } from "../store/session.ts";
import { identifier, sql, statement } from "../store/sql.ts";
import { createTurns } from "../model/turns.ts";
import { checkClient } from "./check-client.ts";
import { createClosing, createWriteQueue, type Closing, type WriteQueue } from "../flow/tasks.ts";
import { createConnectionPool, openPooledConnection, type PooledConnection } from "./pooled-connection.ts";
import { createEpochs, createTransactions, type Epochs, type Transactions } from "./transactions.ts";
import type { Checkpoints } from "./file/checkpoints.ts";
import { openThreadLimit } from "./file/thread-limit.ts";
import { claimFile, type ClaimedFile } from "../flow/open-files.ts";
import { beginCopy } from "./file/copy.ts";
import { createLeftRecords, type LeftRecords } from "./file/left-records.ts";
import { type StoreOptions, memoryBytes } from "./file/store-options.ts";
import { openDatabase, type OpenDatabase } from "./file/open-file.ts";
import { openMemoryWatch } from "./memory-watch.ts";
import { registerLoadedColumns } from "./write/loaded-table.ts";
import { recordsIn } from "./write/records.ts";

/** Opens or creates the database. Throws `StoreError` on a foreign, newer or locked file, which stays unchanged. */
export async function openStore(options: StoreOptions): Promise<FileStore> {
  checkOptions(options);
  const config = configOf(options);
  return await openClaimed(options, config, claimFile(options));
}

const SIZE = /^\d+(\.\d+)?\s*[KMGT]i?B$/i;

function checkOptions({ path, threads, memoryLimit }: StoreOptions): void {
  if (memoryLimit !== null && !SIZE.test(memoryLimit)) {
    throw new StoreError(
      "invalid_option",
      `memoryLimit must be a size such as 512MiB or 4GB, not ${JSON.stringify(memoryLimit)}`,
    );
  }
  if (path === "") throw new StoreError("invalid_option", "path must name a file, or be :memory:");
  if (threads !== null && !(Number.isInteger(threads) && threads > 0)) {
    throw new StoreError("invalid_option", `threads must be a whole number above 0, not ${threads}`);
  }
}

function configOf(options: StoreOptions): Record<string, string> {
  const config: Record<string, string> = {
    storage_compatibility_version: "v1.4.0",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    // Records of a long load wait uncompressed in memory until this many row groups of 122,880 records are complete.
    write_buffer_row_group_count: "1",
    // Block size of a new file. A page reads a block for each text of its trials, and hardly two texts share a block.
    default_block_size: "65536",
    dynamic_or_filter_threshold: String(MOST_PLACES),
    // Memory of results goes back to the system soon after they are freed, also where the thread that took it rests.
    allocator_background_threads: "true",
  };
  if (options.threads !== null) config["threads"] = String(options.threads);
  if (options.memoryLimit !== null) config["memory_limit"] = options.memoryLimit;
  config["perfect_ht_threshold"] = String(groupingBits(options));
  return config;
}

async function openClaimed(
  options: StoreOptions,
  config: Record<string, string>,
  { release }: ClaimedFile,
): Promise<FileStore> {
  const database = await openDatabase(options, config).catch(async (error: unknown) => {
    await release(() => Promise.resolve());
    throw error;
  });
  try {
    return await startStore(database, options, release);
  } catch (error) {
    await release(database.close);
    throw error;
  }
}

/** Said to be writable, since what is attached to a read-only database is else read-only. */
const ATTACH_SCRATCH = statement(sql`ATTACH ':memory:' AS ${identifier(SCRATCH)} (READ_WRITE)`, DUCKDB).sql;

async function startStore(
  database: OpenDatabase,
  options: StoreOptions,
  release: ClaimedFile["release"],
): Promise<FileStore> {
  const { instance, checkpoints } = database;
  const tuning = await instance.connect();
  const [first, memoryWatch, limitToOneThread] = await Promise.all([
    openPooledConnection(instance).then(async (one) => checkClient(one.connection).then(() => one)),
    instance.connect().then(openMemoryWatch),
    tuning.run(ATTACH_SCRATCH).then(() => openThreadLimit(tuning)),
  ]);
  const loaded = registerLoadedColumns(first.connection);
  const pool = createConnectionPool(instance, first);
  const epochs = createEpochs();
  const turns = createTurns();
  const ofStore = { mark: await readMark(first), limitToOneThread };
  const transactions = createTransactions({ path: options.path, pool, loaded, epochs, turns, ofStore });
  const writes = createWriteQueue();
  const left = createLeftRecords(tuning, checkpoints.checkFile);
  const closing = createClosing(options.path, async () => {
    await endWork(checkpoints, { transactions, writes, left });
    tuning.closeSync();
    await memoryWatch.close();
    pool.close();
    await release(database.close);
  });
  return {
    turns,
    ...ofStore,
    epoch: () => (closing.signal.aborted ? null : epochs.now()),
    closing: closing.signal,
    watchMemory: memoryWatch.start,
    memoryBytes: memoryWatch.limitBytes,
    shedMemory: shedding(tuning, options, transactions),
    ...workOn(database, options, { transactions, writes, epochs, closing, left }),
    close: closing.close,
  };
}

interface OfStore {
  readonly transactions: Transactions;
  readonly writes: WriteQueue;
  readonly epochs: Epochs;
  readonly closing: Closing;
  readonly left: LeftRecords;
}

async function endWork(
  checkpoints: Checkpoints,
  { writes, transactions, left }: Pick<OfStore, "transactions" | "writes" | "left">,
): Promise<void> {
  await writes.ended();
  await transactions.ended();
  await left.leave();
  // The log stays beside the file of one who is in haste, and who opens it next reads it.
  if (transactions.wasInterrupted()) return;
  await checkpoints.run();
  await checkpoints.vacuum();
}

/** Work that the store accepts until it closes. */
function workOn(
  database: OpenDatabase,
  options: StoreOptions,
  parts: OfStore,
): Pick<FileStore, "read" | "write" | "scratch" | "inTurn" | "copy" | "records" | "interrupt"> {
  const { checkpoints } = database;
  const { transactions, writes, closing } = parts;
  const write = writeWithLog(database, parts);
  const inTurn: FileStore["inTurn"] = async (turn) => {
    closing.signal.throwIfAborted();
    if (options.readOnly) {
      throw new StoreError("read_only", `${options.path}: opened readOnly; nothing can be stored`);
    }
    return addTurn(writes, checkpoints, write, turn, transactions);
  };
  return {
    read: async (work, signal) => {
      closing.signal.throwIfAborted();
      return transactions.read(work, signal);
    },
    scratch: async (work, signal) => {
      closing.signal.throwIfAborted();
      return transactions.scratch(work, signal);
    },
    write: (work, signal) => inTurn((noted) => noted(work, signal)),
    inTurn,
    interrupt: transactions.interrupt,
    records: recordsIn({ closing: closing.signal, inTurn }),
    copy: async (use) => {
      closing.signal.throwIfAborted();
      const begun = writes.add(() => beginCopy(options, database));
      return transactions.track(begun.then(({ pieces, end }) => use(pieces).finally(end)));
    },
  };
}

/** What stubs of long texts begin with in this database. */
async function readMark({ connection }: PooledConnection): Promise<string> {
  const found = await connection.runAndReadAll("SELECT mark FROM main.text_mark");
  return String(found.getRows()[0]?.[0]);
}

function writeWithLog(
  { checkpoints }: OpenDatabase,
  { transactions, epochs, left }: OfStore,
): FileStore["write"] {
  return async (work, signal) => {
    await checkpoints.checkFile();
    const logBytes = await checkpoints.logBytes();
    const written = await epochs.duringWrite(async () => {
      const result = await left.with((before) =>
        transactions.write(async (session) => {
          await before(session);
          return work(session);
        }, signal),
      );
      await checkpoints.committed();
      return result;
    });
    await checkpoints.runIfFilled(logBytes);
    return written;
  };
}

/** Adds a turn, and a checkpoint after it where it wrote: of a thousand items that share a transaction, one does. */
function addTurn<T>(
  writes: WriteQueue,
  checkpoints: Checkpoints,
  write: FileStore["write"],
  turn: (write: FileStore["write"]) => Promise<T>,
  { around, count }: Transactions,
): Promise<T> {
  let hasWritten = false;
  const noted: FileStore["write"] = (work, signal) => {
    hasWritten = true;
    return write(work, signal);
  };
  const afterwards = async () => {
    if (!hasWritten) return;
    await checkpoints.runIfDue();
    if (count() === 0) await checkpoints.vacuum();
  };
  return around((stop) =>
    writes.add(() => {
      stop.throwIfAborted();
      return turn(noted);
    }, afterwards),
  );
}

const DUCKDB_DEFAULT = 12;
const MOST = 20;
/** Bytes for the states of one group in one thread's array, estimated generously. */
const BYTES_A_GROUP = 128;
/** Share of the memory limit for one query. */
const SHARE = 1 / 4;

/**
 * Computes the largest number of bits for which DuckDB groups dense integers of a range in an array instead of a hash
 * table. Each thread has its own array, which cannot spill, so the array must be small beside the memory limit.
 */
function groupingBits({ threads, memoryLimit }: StoreOptions): number {
  const memory = memoryLimit === null ? 0.8 * totalmem() : memoryBytes(memoryLimit);
  const groups = (memory * SHARE) / BYTES_A_GROUP / (threads ?? availableParallelism());
  return Math.min(MOST, Math.max(DUCKDB_DEFAULT, Math.floor(Math.log2(Math.max(1, groups)))));
}

/** What DuckDB may hold after that. Records of row groups that are not complete take up to 230 MB. */
const KEPT = "256MiB";

/**
 * Makes the function that lets DuckDB give up blocks that are in the file, by a moment with a smaller limit. It does
 * nothing where `underWay` has more than the write that calls it, which could meet that limit.
 */
export function shedding(
  connection: { readonly run: (statement: string) => Promise<unknown> },
  { memoryLimit }: Pick<StoreOptions, "memoryLimit">,
  underWay: { readonly count: () => number },
): () => Promise<void> {
  if (memoryLimit === null || memoryBytes(memoryLimit) <= memoryBytes(KEPT)) return () => Promise.resolve();
  return async () => {
    if (underWay.count() > 1) return;
    // DuckDB refuses a limit below what is in use, and keeps the one that it has.
    await connection.run(`SET GLOBAL memory_limit = '${KEPT}'`).catch(() => undefined);
    await connection.run(`SET GLOBAL memory_limit = '${memoryLimit}'`);
  };
}
