import type { DuckDBConnection } from "@duckdb/node-api";
import type { FileSession } from "../store/session.ts";
import type { Turns } from "../model/turns.ts";
import { createInterrupts, createUnderWay, type Interrupts, type UnderWay } from "../flow/tasks.ts";
import { EvalcubeError, StoreError } from "../errors.ts";
import type { ConnectionPool, PooledConnection } from "./pooled-connection.ts";
import { openStream } from "./open-stream.ts";
import { openSession, type OfStore } from "./session.ts";
import type { LoadedColumns } from "./write/loaded-table.ts";
import { lackOf } from "./file/lacks.ts";

type Work<T> = (session: FileSession) => Promise<T>;

/** Transactions and other work under way on a store. */
export interface Transactions extends UnderWay, Interrupts {
  readonly read: <T>(work: Work<T>, signal: AbortSignal | undefined) => Promise<T>;
  readonly write: <T>(work: Work<T>, signal: AbortSignal | undefined) => Promise<T>;
  readonly scratch: <T>(work: Work<T>, signal: AbortSignal | undefined) => Promise<T>;
}

interface TransactionContext {
  readonly path: string;
  readonly pool: ConnectionPool;
  readonly loaded: LoadedColumns;
  readonly epochs: Epochs;
  readonly turns: Turns;
  readonly ofStore: OfStore;
}

/** A transaction takes its snapshot when it first reads. */
const BEGIN_WITH_SNAPSHOT = "BEGIN TRANSACTION; FROM evalcube_format LIMIT 0";

export function createTransactions(context: TransactionContext): Transactions {
  const underWay = createUnderWay();
  const interrupts = createInterrupts();
  const transactionOf =
    (begin: Begin): Transactions["read"] =>
    (work, signal) =>
      underWay.track(interrupts.around((stop) => run(context, begin, work, stop, read), signal));
  const read = transactionOf((lease) => lease.beginReading());
  return {
    read,
    write: transactionOf(beginBy("BEGIN TRANSACTION")),
    scratch: transactionOf(beginBy(BEGIN_WITH_SNAPSHOT)),
    ...underWay,
    ...interrupts,
  };
}

type Begin = (lease: PooledConnection) => Promise<unknown>;

function beginBy(statement: string): Begin {
  return ({ connection }) => connection.run(statement);
}

async function run<T>(
  { path, pool, loaded, epochs, turns, ofStore }: TransactionContext,
  begin: Begin,
  work: Work<T>,
  signal: AbortSignal,
  read: Transactions["read"],
): Promise<T> {
  signal.throwIfAborted();
  const lease = await pool.take().catch((error: unknown) => Promise.reject(storeFault(path, error) ?? error));
  const { connection } = lease;
  let isUsable = true;
  const stream = openStream(connection);
  const interruptNoMore = interruptOn(signal, connection);
  try {
    const epoch = await epochs.around(() => begin(lease));
    const inSecondSession: FileSession["inSecondSession"] = (other) => read(other, signal);
    const result = await work(
      openSession(connection, stream, loaded, epoch, signal, turns, inSecondSession, ofStore),
    );
    await stream.finish();
    await lease.commit();
    return result;
  } catch (error) {
    await stream.stop();
    interruptNoMore();
    // A rollback may find too little memory, too; its connection would refuse the next transaction, and closing it
    // rolls back.
    await connection.run("ROLLBACK").catch(() => (isUsable = false));
    throw signal.aborted ? signal.reason : (storeFault(path, error) ?? error);
  } finally {
    interruptNoMore();
    loaded.forget(connection);
    if (isUsable) pool.giveBack(lease);
    else lease.close();
  }
}

const AGAIN_MS = 20;

/**
 * Interrupts the work of a connection from the moment a signal aborts until the returned function is called. It repeats
 * the interrupt, since an interrupt is lost on a statement that is being prepared or waits for a thread.
 */
function interruptOn(signal: AbortSignal, connection: DuckDBConnection): () => void {
  let timer: NodeJS.Timeout | undefined;
  const interrupt = () => {
    connection.interrupt();
    timer ??= setInterval(interrupt, AGAIN_MS);
  };
  signal.addEventListener("abort", interrupt, { once: true });
  return () => {
    signal.removeEventListener("abort", interrupt);
    clearInterval(timer);
  };
}

/** Faults of the disk and of the database: DuckDB's message for each, and advice for the user. */
const FAULTS: readonly { readonly says: RegExp; readonly code: string; readonly advice: string }[] = [
  {
    says: /database has been invalidated|Failed to rollback transaction[^]*Out of Memory/,
    code: "database_stopped",
    advice:
      "DuckDB stopped using the database after a fault of the disk, or for want of memory; close the engine and open it again, then with more memory (option memoryLimit): what was acknowledged is kept",
  },
  {
    says: /No space left on device|Disk quota exceeded|File too large/,
    code: "storage_full",
    advice: "the disk is full; nothing of this write is stored; free some space and repeat it",
  },
  {
    says: /Corrupt database file/,
    code: "damaged_database",
    advice: "the file is damaged; evalcube check lists what is, and a backup has it whole",
  },
];

/** Recognises a fault of the disk or the database in DuckDB's error; null if it is none, or was reported already. */
function storeFault(path: string, error: unknown): StoreError | null {
  const isRefusal = error instanceof StoreError && error.code === "query_failed";
  if (error instanceof EvalcubeError && !isRefusal) return null;
  const cause = isRefusal ? error.cause : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  const fault = FAULTS.find(({ says }) => says.test(message));
  if (fault === undefined) return isRefusal ? null : lackOf(cause);
  const { code, advice } = fault;
  return new StoreError(code, `${path}: ${advice} (DuckDB: ${message.split("\n")[0]})`, { cause });
}

/** Counts writes, so that snapshots that have seen different writes can be distinguished. */
export interface Epochs {
  /** Number of writes that a snapshot taken now has seen; null while a write is under way. */
  readonly now: () => number | null;
  /** Takes a snapshot; resolves to the number of writes that it has seen, null where that cannot be known. */
  readonly around: (takeSnapshot: () => Promise<unknown>) => Promise<number | null>;
  readonly duringWrite: <T>(write: () => Promise<T>) => Promise<T>;
}

export function createEpochs(): Epochs {
  let writes = 0;
  let activeWrites = 0;
  const now = () => (activeWrites === 0 ? writes : null);
  return {
    now,
    around: async (takeSnapshot) => {
      const before = now();
      await takeSnapshot();
      return before === now() ? before : null;
    },
    duringWrite: async (write) => {
      activeWrites++;
      try {
        return await write();
      } finally {
        activeWrites--;
        writes++;
      }
    },
  };
}
