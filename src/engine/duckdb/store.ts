import { setMaxListeners } from "node:events";
import { StoreError } from "../../errors.ts";
import type { Session, Store } from "../../store/session.ts";
import { createTurns } from "../../model/turns.ts";
import { storeFault } from "./faults.ts";
import { claimFile } from "./file/claim.ts";
import { beginCopy } from "./file/copy.ts";
import type { StoreOptions } from "./file/store-options.ts";
import { groupingBits } from "./tuning/grouping.ts";
import { openDatabase, type OpenDatabase } from "./file/open-file.ts";
import { openMemoryWatch } from "./memory-watch.ts";
import { interruptOn } from "./interrupts.ts";
import { openStream } from "./open-stream.ts";
import { openPooledConnection, type PooledConnection } from "./pooled-connection.ts";
import { registerLoadedColumns } from "./write/loaded-table.ts";
import { openSession } from "./session.ts";
import { openThreadLimit } from "./tuning/threads.ts";

/** Opens or creates the database. Throws `StoreError` on a foreign, newer or locked file, which stays as it is. */
export async function openStore(options: StoreOptions): Promise<Store> {
  checkOptions(options);
  const release = claimFile(options);
  try {
    return await openClaimed(options, release);
  } catch (error) {
    release();
    throw error;
  }
}

function checkOptions({ path, threads, memoryLimit }: StoreOptions): void {
  if (memoryLimit !== null && !/^\d+(\.\d+)?\s*[KMGT]i?B$/i.test(memoryLimit)) {
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

const readOnly = (lease: PooledConnection) => lease.beginReading();

async function openClaimed(options: StoreOptions, release: () => void): Promise<Store> {
  const config: Record<string, string> = {
    storage_compatibility_version: "v1.4.0",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    // Records of a long load wait uncompressed in memory until so many row groups of 122,880 are there.
    write_buffer_row_group_count: "1",
    // Of a new file. A page reads a block for each text of its trials, of which hardly two share one.
    default_block_size: "65536",
  };
  if (options.threads !== null) config["threads"] = String(options.threads);
  if (options.memoryLimit !== null) config["memory_limit"] = options.memoryLimit;
  config["perfect_ht_threshold"] = String(groupingBits(options));
  const database = await openDatabase(options, config);
  try {
    return await startStore(database, options, release);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function startStore(
  database: OpenDatabase,
  options: StoreOptions,
  release: () => void,
): Promise<Store> {
  const { instance, checkpoints, close } = database;
  const tuning = await instance.connect();
  const limitToOneThread = await openThreadLimit(tuning);
  const memoryWatch = await openMemoryWatch(await instance.connect());
  const first = await openPooledConnection(instance);
  const loaded = registerLoadedColumns(first.connection);
  const idle: PooledConnection[] = [first];
  const running = new Set<Promise<unknown>>();
  let writing: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | null = null;
  const closer = new AbortController();
  setMaxListeners(0, closer.signal);
  const turns = createTurns();
  let writes = 0;
  let activeWrites = 0;

  const transaction = <T>(
    begin: (lease: PooledConnection) => Promise<unknown>,
    work: (session: Session) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> => {
    const task = run(begin, work, signal).finally(() => running.delete(task));
    running.add(task);
    return task;
  };

  const run = async <T>(
    begin: (lease: PooledConnection) => Promise<unknown>,
    work: (session: Session) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> => {
    signal?.throwIfAborted();
    const lease = idle.pop() ?? (await openPooledConnection(instance));
    const { connection } = lease;
    const stream = openStream(connection);
    const interruptNoMore = interruptOn(signal, connection);
    const beside = <Other>(other: (session: Session) => Promise<Other>) =>
      transaction(readOnly, other, signal);
    try {
      const before = activeWrites === 0 ? writes : null;
      await begin(lease);
      const epoch = before === writes && activeWrites === 0 ? writes : null;
      const result = await work(openSession(connection, stream, loaded, epoch, signal, turns, beside));
      await stream.finish();
      await lease.commit();
      return result;
    } catch (error) {
      await stream.stop();
      interruptNoMore();
      await connection.run("ROLLBACK").catch(() => undefined);
      throw signal?.aborted === true ? signal.reason : (storeFault(options.path, error) ?? error);
    } finally {
      interruptNoMore();
      loaded.forget(connection);
      idle.push(lease);
    }
  };

  return {
    turns,
    epoch: () => (activeWrites === 0 && closing === null ? writes : null),
    closing: closer.signal,
    watchMemory: memoryWatch.start,
    limitToOneThread,
    read: async (work, signal) => {
      closer.signal.throwIfAborted();
      return transaction(readOnly, work, signal);
    },
    write: async (work, signal) => {
      closer.signal.throwIfAborted();
      if (options.readOnly) {
        throw new StoreError("read_only", `${options.path}: opened readOnly; nothing can be stored`);
      }
      const turn = writing.then(async () => {
        activeWrites++;
        try {
          const result = await transaction(
            (lease) => lease.connection.run("BEGIN TRANSACTION"),
            work,
            signal,
          );
          await checkpoints.committed();
          return result;
        } finally {
          activeWrites--;
          writes++;
        }
      });
      writing = turn.catch(() => undefined).then(checkpoints.runIfDue);
      return turn;
    },
    copy: async (use) => {
      closer.signal.throwIfAborted();
      const begun = writing.then(() => beginCopy(options, database));
      writing = begun.catch(() => undefined);
      const task = begun
        .then(({ pieces, end }) => use(pieces).finally(end))
        .finally(() => running.delete(task));
      running.add(task);
      return task;
    },
    close: () => {
      closer.abort(new StoreError("closed", `${options.path}: the engine is closed`));
      closing ??= (async () => {
        await writing;
        while (running.size > 0) await Promise.allSettled(running);
        await checkpoints.run();
        tuning.closeSync();
        await memoryWatch.close();
        for (const lease of idle) lease.close();
        await close();
        release();
      })();
      return closing;
    },
  };
}
