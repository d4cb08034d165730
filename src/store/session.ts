import type { ColumnStream } from "./columns.ts";
import type { Turns } from "../model/turns.ts";
import type { Query } from "./query.ts";
import type { Sql, SqlStatement, SqlType, SqlValue } from "./sql.ts";

/** A column to load: one entry a record. A text may be given as its UTF-8 bytes. */
export interface Column {
  readonly name: string;
  readonly type: SqlType;
  readonly values: ArrayLike<SqlValue | Uint8Array>;
}

/** One transaction on one connection. */
export interface Session {
  /**
   * Counts the writes that this snapshot has seen; null while a write is under way, when what a snapshot has
   * seen cannot be told from outside it.
   */
  readonly epoch: number | null;
  readonly turns: Turns;
  /** The records of a query, each read as the query says. */
  readonly all: <Row>(query: Query<Row>) => Promise<readonly Row[]>;
  /** Records as arrays of values, in the order of the select list. */
  readonly rows: (query: Sql) => Promise<readonly (readonly SqlValue[])[]>;
  /** The result column by column, without a value of its own for each number or text. */
  readonly vectors: (query: SqlStatement) => Promise<ColumnStream>;
  readonly run: (query: Sql) => Promise<void>;
  /** Runs `work` on a connection of its own, on a snapshot of what is committed: what this session wrote is not seen. */
  readonly inSecondSession: <T>(work: (session: Session) => Promise<T>) => Promise<T>;
  /** Makes `columns` readable as `loaded('name')` until others are, or the transaction ends. */
  readonly load: (name: string, columns: readonly Column[]) => void;
}

export interface Store {
  /** Shared by all that is done on this store. */
  readonly turns: Turns;
  /** The epoch of a snapshot taken at this moment; null while a write is under way, and once closed. */
  readonly epoch: () => number | null;
  /** Runs `work` on one snapshot. */
  readonly read: <T>(work: (session: Session) => Promise<T>, signal?: AbortSignal) => Promise<T>;
  /** Runs `work` in a transaction of its own, one at a time; durable when the promise resolves. */
  readonly write: <T>(work: (session: Session) => Promise<T>, signal?: AbortSignal) => Promise<T>;
  /**
   * Gives the bytes of a database of its own that has what is committed by now; reading and writing go on meanwhile.
   * Throws `StoreError` where there is no file, or part of it is yet in its log.
   */
  readonly copy: (use: (pieces: AsyncIterable<Uint8Array>) => Promise<void>) => Promise<void>;
  /**
   * Calls `tooMuch` once the process holds more than the memory limit allows, outside of JavaScript and since nothing
   * was watched. Returns what ends that, and gives back what is left over.
   */
  readonly watchMemory: (tooMuch: () => void) => () => Promise<void>;
  /** Leaves a core to the process where DuckDB would use two, for a long write; resolves to what ends that. */
  readonly limitToOneThread: () => Promise<() => Promise<void>>;
  /** Aborts, with the error of a closed store, when `close` is called. For work that waits for a reader. */
  readonly closing: AbortSignal;
  /** Waits for what is under way. */
  readonly close: () => Promise<void>;
}
