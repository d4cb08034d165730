import type { FileSession } from "../store/session.ts";
import type { Turns } from "../model/turns.ts";
import { createUnderWay, type UnderWay } from "../flow/tasks.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import type { Epochs } from "./epochs.ts";
import { storeFault } from "./faults.ts";
import { interruptOn } from "./interrupts.ts";
import { openStream } from "./open-stream.ts";
import type { PooledConnection } from "./pooled-connection.ts";
import { openSession } from "./session.ts";
import type { LoadedColumns } from "./write/loaded-table.ts";

type Work<T> = (session: FileSession) => Promise<T>;

/** Transactions and other work under way on a store. */
export interface Transactions extends UnderWay {
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
}

/** A transaction takes its snapshot when it first reads. */
const BEGIN_WITH_SNAPSHOT = "BEGIN TRANSACTION; FROM evalcube_format LIMIT 0";

export function createTransactions(context: TransactionContext): Transactions {
  const underWay = createUnderWay();
  const { track } = underWay;
  const read: Transactions["read"] = (work, signal) =>
    track(run(context, (lease) => lease.beginReading(), work, signal, read));
  return {
    read,
    write: (work, signal) =>
      track(run(context, (lease) => lease.connection.run("BEGIN TRANSACTION"), work, signal, read)),
    scratch: (work, signal) =>
      track(run(context, (lease) => lease.connection.run(BEGIN_WITH_SNAPSHOT), work, signal, read)),
    ...underWay,
  };
}

async function run<T>(
  { path, pool, loaded, epochs, turns }: TransactionContext,
  begin: (lease: PooledConnection) => Promise<unknown>,
  work: Work<T>,
  signal: AbortSignal | undefined,
  read: Transactions["read"],
): Promise<T> {
  signal?.throwIfAborted();
  const lease = await pool.take();
  const { connection } = lease;
  const stream = openStream(connection);
  const interruptNoMore = interruptOn(signal, connection);
  try {
    const epoch = await epochs.around(() => begin(lease));
    const inSecondSession: FileSession["inSecondSession"] = (other) => read(other, signal);
    const result = await work(openSession(connection, stream, loaded, epoch, signal, turns, inSecondSession));
    await stream.finish();
    await lease.commit();
    return result;
  } catch (error) {
    await stream.stop();
    interruptNoMore();
    await connection.run("ROLLBACK").catch(() => undefined);
    throw signal?.aborted === true ? signal.reason : (storeFault(path, error) ?? error);
  } finally {
    interruptNoMore();
    loaded.forget(connection);
    pool.giveBack(lease);
  }
}
