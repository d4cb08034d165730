import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import {
  blobValue,
  BIGINT,
  BOOLEAN,
  DOUBLE,
  DuckDBInstance,
  DuckDBDataChunk,
  INTEGER,
  BLOB,
  UTINYINT,
  VARCHAR,
  type DuckDBConnection,
  type DuckDBVector,
  type DuckDBType,
  type DuckDBValue,
} from "@duckdb/node-api";
import { StoreError } from "../errors.ts";
import type { Column, Session, Store } from "../model/session.ts";
import { statement, type Sql, type SqlType, type SqlValue } from "../model/sql.ts";

export interface StoreOptions {
  readonly path: string;
  readonly readOnly: boolean;
  readonly threads: number | null;
  readonly memoryLimit: string | null;
}

const SQL_FOLDER = new URL("../../sql/duckdb/", import.meta.url);
const FORMAT = "evalcube";

const DUCKDB_TYPES: Record<SqlType, DuckDBType> = { INTEGER, BIGINT, UTINYINT, DOUBLE, BOOLEAN, VARCHAR };

/** The numbered files that lead from an empty database to the current schema. */
function migrations(): { version: number; text: string }[] {
  const folder = new URL("migrations/", SQL_FOLDER);
  const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  return names.toSorted().map((name) => ({
    version: Number.parseInt(name, 10),
    text: readFileSync(new URL(name, folder), "utf8"),
  }));
}

/** Opens or creates the database. Throws `StoreError` on a foreign, newer or locked file, which stays as it is. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const steps = migrations();
  const newest = steps.at(-1)?.version ?? 0;
  const inMemory = options.path === ":memory:";
  const exists = !inMemory && existsSync(options.path) && statSync(options.path).size > 0;
  if (options.readOnly && !exists) {
    throw new StoreError(
      "no_database",
      `${options.path}: there is no database to read; load something first`,
    );
  }
  const version = exists ? await versionOf(options.path, newest) : 0;
  if (options.readOnly && version < newest) {
    throw new StoreError(
      "old_database",
      `${options.path}: format ${version} is older than ${newest}; open it once without readOnly to migrate it`,
    );
  }
  const config: Record<string, string> = {
    storage_compatibility_version: "v1.4.0",
    preserve_insertion_order: "true",
  };
  if (options.readOnly) config["access_mode"] = "READ_ONLY";
  if (options.threads !== null) config["threads"] = String(options.threads);
  if (options.memoryLimit !== null) config["memory_limit"] = options.memoryLimit;
  const instance = await openInstance(options.path, config);
  try {
    return await startStore(
      instance,
      options,
      steps.filter((step) => step.version > version),
      newest,
    );
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

async function openInstance(path: string, config: Record<string, string>): Promise<DuckDBInstance> {
  try {
    return await DuckDBInstance.create(path, config);
  } catch (error) {
    throw openError(path, error);
  }
}

function openError(path: string, error: unknown): StoreError {
  const message = error instanceof Error ? error.message : String(error);
  if (/lock/i.test(message)) {
    return new StoreError(
      "locked_database",
      `${path}: another process has the database open; close it there, or open it readOnly in both`,
      { cause: error },
    );
  }
  if (/not a valid DuckDB|magic bytes|serializ/i.test(message)) {
    return new StoreError("foreign_database", `${path}: this is no DuckDB database; choose another path`, {
      cause: error,
    });
  }
  if (/storage version|newer/i.test(message)) {
    return new StoreError(
      "newer_database",
      `${path}: written by a newer DuckDB; update evalcube to open it`,
      { cause: error },
    );
  }
  return new StoreError("unusable_database", `${path}: the database cannot be opened: ${message}`, {
    cause: error,
  });
}

/** The schema version of an existing file, read without writing to it. */
async function versionOf(path: string, newest: number): Promise<number> {
  const instance = await openInstance(path, { access_mode: "READ_ONLY" });
  try {
    const connection = await instance.connect();
    const tables = await connection.runAndReadAll(
      "SELECT count(*) FILTER (table_name = 'evalcube_format'), count(*) FROM duckdb_tables() WHERE NOT internal",
    );
    const [ours, all] = (tables.getRows()[0] ?? [0n, 0n]).map(Number);
    if (ours === 0 && all === 0) return 0;
    if (ours === 0) {
      throw new StoreError(
        "foreign_database",
        `${path}: a DuckDB database of another program; choose another path`,
      );
    }
    const found = await connection.runAndReadAll("SELECT format, version FROM evalcube_format");
    const [format, version] = found.getRows()[0] ?? [];
    if (format !== FORMAT || typeof version !== "number") {
      throw new StoreError(
        "foreign_database",
        `${path}: a DuckDB database of another program; choose another path`,
      );
    }
    if (version > newest) {
      throw new StoreError(
        "newer_database",
        `${path}: format ${version} is newer than ${newest}, the newest that this evalcube knows; update evalcube`,
      );
    }
    return version;
  } finally {
    instance.closeSync();
  }
}

async function startStore(
  instance: DuckDBInstance,
  options: StoreOptions,
  pending: readonly { version: number; text: string }[],
  newest: number,
): Promise<Store> {
  const first = await connect(instance);
  if (pending.length > 0) await migrate(first, pending, newest);
  const idle: DuckDBConnection[] = [first];
  const running = new Set<Promise<unknown>>();
  let writing: Promise<unknown> = Promise.resolve();
  let closed = false;
  let writes = 0;
  let activeWrites = 0;

  const transaction = async <T>(
    begin: string,
    work: (session: Session) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> => {
    if (closed) throw new StoreError("closed", `${options.path}: the engine is closed`);
    signal?.throwIfAborted();
    const connection = idle.pop() ?? (await connect(instance));
    const interrupt = () => connection.interrupt();
    signal?.addEventListener("abort", interrupt, { once: true });
    const task = (async () => {
      const before = activeWrites === 0 ? writes : null;
      await connection.run(begin);
      try {
        const epoch = before === writes && activeWrites === 0 ? writes : null;
        const result = await work(openSession(connection, epoch, signal));
        await connection.run("COMMIT");
        return result;
      } catch (error) {
        await connection.run("ROLLBACK").catch(() => undefined);
        throw signal?.aborted === true ? signal.reason : error;
      } finally {
        signal?.removeEventListener("abort", interrupt);
        idle.push(connection);
      }
    })();
    running.add(task);
    try {
      return await task;
    } finally {
      running.delete(task);
    }
  };

  return {
    // The second statement takes the snapshot, which BEGIN alone does not.
    read: (work, signal) =>
      transaction("BEGIN TRANSACTION READ ONLY; FROM evalcube_format LIMIT 0", work, signal),
    write: (work, signal) => {
      if (options.readOnly) {
        return Promise.reject(
          new StoreError("read_only", `${options.path}: opened readOnly; nothing can be stored`),
        );
      }
      const turn = writing.then(async () => {
        activeWrites++;
        try {
          return await transaction("BEGIN TRANSACTION", work, signal);
        } finally {
          activeWrites--;
          writes++;
        }
      });
      writing = turn.catch(() => undefined);
      return turn;
    },
    stream: async function* (query, signal) {
      if (closed) throw new StoreError("closed", `${options.path}: the engine is closed`);
      const connection = idle.pop() ?? (await connect(instance));
      const interrupt = () => connection.interrupt();
      signal?.addEventListener("abort", interrupt, { once: true });
      try {
        const { sql, params } = statement(query);
        const result = await connection.stream(
          sql,
          params.map(({ value }) => value),
          params.map(({ type }) => DUCKDB_TYPES[type]),
        );
        for (
          let chunk = await result.fetchChunk();
          chunk !== null && chunk.rowCount > 0;
          chunk = await result.fetchChunk()
        ) {
          yield chunk.getRows() as SqlValue[][];
        }
      } catch (error) {
        throw signal?.aborted === true ? signal.reason : queryError(error, statement(query).sql);
      } finally {
        signal?.removeEventListener("abort", interrupt);
        idle.push(connection);
      }
    },
    close: async () => {
      closed = true;
      await writing;
      await Promise.allSettled(running);
      for (const connection of idle) connection.closeSync();
      instance.closeSync();
    },
  };
}

async function connect(instance: DuckDBInstance): Promise<DuckDBConnection> {
  const connection = await instance.connect();
  await connection.run(readFileSync(new URL("macros.sql", SQL_FOLDER), "utf8"));
  return connection;
}

async function migrate(
  connection: DuckDBConnection,
  steps: readonly { version: number; text: string }[],
  newest: number,
): Promise<void> {
  await connection.run("BEGIN TRANSACTION");
  try {
    for (const step of steps) await connection.run(step.text);
    await connection.run("CREATE TABLE IF NOT EXISTS evalcube_format (format VARCHAR, version INTEGER)");
    await connection.run("DELETE FROM evalcube_format");
    await connection.run("INSERT INTO evalcube_format VALUES ($1, $2)", [FORMAT, newest], [VARCHAR, INTEGER]);
    await connection.run("COMMIT");
  } catch (error) {
    await connection.run("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

function queryError(error: unknown, sql: string): StoreError {
  if (error instanceof StoreError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new StoreError("query_failed", `DuckDB refused a statement: ${message}\n${sql}`, { cause: error });
}

function openSession(
  connection: DuckDBConnection,
  epoch: number | null,
  signal: AbortSignal | undefined,
): Session {
  const guarded = async <T>(
    query: Sql,
    work: (text: string, values: DuckDBValue[], types: DuckDBType[]) => Promise<T>,
  ) => {
    signal?.throwIfAborted();
    const { sql, params } = statement(query);
    try {
      return await work(
        sql,
        params.map(({ value }) => value),
        params.map(({ type }) => DUCKDB_TYPES[type]),
      );
    } catch (error) {
      throw queryError(error, sql);
    }
  };
  const session: Session = {
    epoch,
    rows: (query) =>
      guarded(query, async (text, values, types) => {
        const reader = await connection.runAndReadAll(text, values, types);
        return reader.getRows() as SqlValue[][];
      }),
    run: (query) =>
      guarded(query, async (text, values, types) => {
        await connection.run(text, values, types);
      }),
    load: async (name, columns) => {
      const bytes = columns.map(hasNul);
      const raw = bytes.includes(true) ? `${name}_bytes` : name;
      const types = columns.map((column, i) => (bytes[i] === true ? BLOB : DUCKDB_TYPES[column.type]));
      const list = columns.map((column, i) => `${column.name} ${bytes[i] === true ? "BLOB" : column.type}`);
      await connection.run(`CREATE OR REPLACE TEMP TABLE ${raw} (${list.join(", ")})`);
      await appendColumns(connection, raw, columns, types, bytes);
      if (raw === name) return;
      const decoded = columns.map(({ name: column }, i) =>
        bytes[i] === true ? `decode(${column}) AS ${column}` : column,
      );
      await connection.run(
        `CREATE OR REPLACE TEMP TABLE ${name} AS SELECT ${decoded.join(", ")} FROM ${raw}`,
      );
    },
  };
  return session;
}

/** The client hands texts on as C strings, which end at U+0000; such columns travel as bytes. */
function hasNul(column: Column): boolean {
  if (column.type !== "VARCHAR") return false;
  for (let i = 0; i < column.values.length; i++) {
    const value = column.values[i];
    if (typeof value === "string" && value.includes("\0")) return true;
  }
  return false;
}

const CHUNK_SIZE = 2048;

/** Appends columns to a temporary table, a chunk at a time, giving way to the event loop between chunks. */
async function appendColumns(
  connection: DuckDBConnection,
  table: string,
  columns: readonly Column[],
  types: readonly DuckDBType[],
  bytes: readonly boolean[],
): Promise<void> {
  const length = columns[0]?.values.length ?? 0;
  const appender = await connection.createAppender(table, null, "temp");
  const chunk = DuckDBDataChunk.create(types);
  for (let from = 0; from < length; from += CHUNK_SIZE) {
    const count = Math.min(CHUNK_SIZE, length - from);
    chunk.reset();
    chunk.rowCount = count;
    for (const [c, column] of columns.entries())
      fillVector(chunk.getColumnVector(c), column, from, count, bytes[c] === true);
    appender.appendDataChunk(chunk);
    if (from + CHUNK_SIZE < length) await new Promise((resume) => setImmediate(resume));
  }
  appender.closeSync();
}

function fillVector(
  vector: DuckDBVector,
  column: Column,
  from: number,
  count: number,
  asBytes: boolean,
): void {
  const { values, type } = column;
  for (let i = 0; i < count; i++) {
    const value = values[from + i] ?? null;
    if (value === null) vector.setItem(i, null);
    else if (asBytes) vector.setItem(i, blobValue(Buffer.from(String(value), "utf8")));
    else vector.setItem(i, type === "BIGINT" ? BigInt(value) : value);
  }
  vector.flush();
}
