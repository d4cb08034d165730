import { setMaxListeners } from "node:events";
import { existsSync } from "node:fs";
import type { DuckDBInstance } from "@duckdb/node-api";
import { StoreError } from "../../errors.ts";
import type { Session, Store } from "../../model/session.ts";
import { createTurns } from "../../model/turns.ts";
import { claimFile, isEmpty } from "./file/claim.ts";
import type { StoreOptions } from "./file/store-options.ts";
import { groupingBits } from "./grouping-bits.ts";
import { memoryRelease } from "./held-memory.ts";
import { connect, migrate, readMigrations, type Migration } from "./file/migrate.ts";
import { openFormat } from "./file/format.ts";
import { openInstance } from "./file/instance.ts";
import { interruptOn } from "./interrupts.ts";
import { openStream } from "./open-stream.ts";
import { openPooledConnection, pooled, type PooledConnection } from "./pooled-connection.ts";
import { registerLoadedColumns } from "./loaded-columns.ts";
import { openSession } from "./session.ts";
import { openThreadUse } from "./thread-use.ts";

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
  const steps = readMigrations();
  const newest = steps.at(-1)?.version ?? 0;
  const inMemory = options.path === ":memory:";
  const exists = !inMemory && existsSync(options.path) && !isEmpty(options);
  if (options.readOnly && !exists) {
    throw new StoreError(
      "no_database",
      `${options.path}: there is no database to read; load something first`,
    );
  }
  const config: Record<string, string> = {
    storage_compatibility_version: "v1.4.0",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    // Records of a long load wait uncompressed in memory until so many row groups of 122,880 are there.
    write_buffer_row_group_count: "1",
    // Of a new file. A page reads a block for each text of its trials, of which hardly two share one.
    default_block_size: "65536",
  };
  if (options.readOnly) config["access_mode"] = "READ_ONLY";
  if (options.threads !== null) config["threads"] = String(options.threads);
  if (options.memoryLimit !== null) config["memory_limit"] = options.memoryLimit;
  config["perfect_ht_threshold"] = String(groupingBits(options));
  const { instance, version } = exists
    ? await openFormat(options.path, config, newest)
    : { instance: await openInstance(options.path, config), version: 0 };
  try {
    if (options.readOnly && version < newest) {
      throw new StoreError(
        "old_database",
        `${options.path}: format ${version} is older than ${newest}; open it once without readOnly to migrate it`,
      );
    }
    return await startStore(
      instance,
      options,
      release,
      steps.filter((step) => step.version > version),
      newest,
    );
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

/** The connection that brings the file up to date. One that stays open would keep the file. */
async function firstLease(
  path: string,
  instance: DuckDBInstance,
  pending: readonly Migration[],
  newest: number,
) {
  const connection = await connect(instance);
  try {
    if (pending.length > 0) await migrate(path, connection, pending, newest);
    return { loaded: registerLoadedColumns(connection), lease: await pooled(connection) };
  } catch (error) {
    connection.closeSync();
    throw error;
  }
}

async function startStore(
  instance: DuckDBInstance,
  options: StoreOptions,
  release: () => void,
  pending: readonly Migration[],
  newest: number,
): Promise<Store> {
  const threadUse = await openThreadUse(await instance.connect());
  const { loaded, lease: first } = await firstLease(options.path, instance, pending, newest).catch(
    async (error: unknown) => {
      await threadUse.close();
      throw error;
    },
  );
  const idle: PooledConnection[] = [first];
  const running = new Set<Promise<unknown>>();
  let writing: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | null = null;
  const closer = new AbortController();
  setMaxListeners(0, closer.signal);
  const turns = createTurns();
  let writes = 0;
  let activeWrites = 0;
  const releaseHeld = options.memoryLimit === null ? null : memoryRelease(options.memoryLimit);

  /** On a connection of its own: a statement that fails would end the transaction. */
  const leaveMemory = async (): Promise<void> => {
    if (running.size !== 1 || releaseHeld === null) return;
    const lease = idle.pop() ?? (await openPooledConnection(instance));
    try {
      await releaseHeld(lease.connection);
    } finally {
      idle.push(lease);
    }
  };

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
    const afterwards: (() => Promise<void>)[] = [];
    const ofStore = {
      leaveCore: async () => {
        if (afterwards.length === 0) afterwards.push(await threadUse.leaveCore());
      },
      leaveMemory,
      beside: <Other>(other: (session: Session) => Promise<Other>) => transaction(readOnly, other, signal),
    };
    try {
      const before = activeWrites === 0 ? writes : null;
      await begin(lease);
      const epoch = before === writes && activeWrites === 0 ? writes : null;
      const result = await work(openSession(connection, stream, loaded, epoch, signal, turns, ofStore));
      await stream.finish();
      await lease.commit();
      return result;
    } catch (error) {
      await stream.stop();
      interruptNoMore();
      await connection.run("ROLLBACK").catch(() => undefined);
      throw signal?.aborted === true ? signal.reason : error;
    } finally {
      interruptNoMore();
      for (const giveBack of afterwards) await giveBack();
      loaded.forget(connection);
      idle.push(lease);
    }
  };

  return {
    turns,
    epoch: () => (activeWrites === 0 && closing === null ? writes : null),
    closing: closer.signal,
    read: async (work, signal) => {
      closer.signal.throwIfAborted();
      const leave = threadUse.enter();
      return transaction(readOnly, work, signal).finally(leave);
    },
    write: async (work, signal) => {
      closer.signal.throwIfAborted();
      if (options.readOnly) {
        throw new StoreError("read_only", `${options.path}: opened readOnly; nothing can be stored`);
      }
      const turn = writing.then(async () => {
        activeWrites++;
        const leave = threadUse.enter();
        try {
          return await transaction((lease) => lease.connection.run("BEGIN TRANSACTION"), work, signal);
        } finally {
          leave();
          activeWrites--;
          writes++;
        }
      });
      writing = turn.catch(() => undefined);
      return turn;
    },
    close: () => {
      closer.abort(new StoreError("closed", `${options.path}: the engine is closed`));
      closing ??= (async () => {
        await writing;
        while (running.size > 0) await Promise.allSettled(running);
        await threadUse.close();
        for (const lease of idle) lease.close();
        instance.closeSync();
        release();
      })();
      return closing;
    },
  };
}
