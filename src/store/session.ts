import type { ColumnStream, ColumnValues } from "./columns.ts";
import type { Key } from "../model/digest.ts";
import type { Turns } from "../model/turns.ts";
import type { Query } from "./query.ts";
import type { Dialect, Sql, SqlStatement, SqlType, SqlValue } from "./sql.ts";

/** A column to load, with one entry for each record. A text may be given as its UTF-8 bytes. */
export interface Column {
  readonly name: string;
  readonly type: SqlType;
  readonly values: ArrayLike<SqlValue | Uint8Array>;
}

/** A column to load as it lies in memory; validity bits are in whole words of 64. */
export interface PackedColumn {
  readonly name: string;
  readonly type: SqlType;
  readonly values: ColumnValues;
}

/** A call that is stored and not hidden. */
export interface StoredCall {
  readonly id: string;
  /** JSON of the call as its stored records make it. */
  readonly record: string;
}

/** Finds calls of a project. */
export interface CallReader {
  readonly find: (projectId: string, ids: readonly string[]) => Promise<readonly StoredCall[]>;
  /** Which of these ids are those of hidden calls. */
  readonly hidden: (projectId: string, ids: readonly string[]) => Promise<readonly string[]>;
  /** One child of each of these calls, where there is one. */
  readonly childOfEach: (projectId: string, parentIds: readonly string[]) => Promise<readonly StoredCall[]>;
}

/** One transaction on one connection. */
export interface Session {
  /**
   * What tells the state of this snapshot from every other one; null if it was taken during a write, because it is then
   * unknown from outside whether the snapshot includes that write.
   */
  readonly epoch: number | null;
  readonly turns: Turns;
  /** Ends the transaction; absent where another thread has it. */
  readonly signal?: AbortSignal | undefined;
  /** How statements are spelled here. */
  readonly dialect: Dialect;
  /** What the stubs begin with that stand instead of long texts (`texts`); absent where texts are stored whole. */
  readonly mark?: string;
  /**
   * Says which project and evaluations the statements that follow are about: a database that stores no small keys then
   * gives small ones, evaluations in this order. Null for all projects.
   */
  readonly about: (projectId: string | null, evaluationIds: readonly string[]) => Promise<void>;
  /** Where the database has calls only as they were sent; elsewhere the relation `calls` has them as they stand. */
  readonly calls?: CallReader;
  /** The records of a query, each read by the function of the query. */
  readonly all: <Row>(query: Query<Row>) => Promise<readonly Row[]>;
  /** The records as arrays of values, in the order of the select list. */
  readonly rows: (query: Sql) => Promise<readonly (readonly SqlValue[])[]>;
  /** The result column by column, without a JavaScript value for each number or text. */
  readonly vectors: (query: SqlStatement) => Promise<ColumnStream>;
  /**
   * Leaves one of two threads to others while statements come of which each has work for one thread; resolves to a
   * function that lifts this. Absent where that gains nothing.
   */
  readonly limitToOneThread?: () => Promise<() => Promise<void>>;
  /** Runs `work` on another connection with a snapshot of committed data, without the writes of this session. */
  readonly inSecondSession: <T>(work: (session: Session) => Promise<T>) => Promise<T>;
  /** Makes `columns` readable as `loaded('name')` until other columns replace them or the transaction ends. */
  readonly load: (name: string, columns: readonly Column[]) => void;
}

/** A transaction that changes a file with statements. */
export interface FileSession extends Omit<Session, "load" | "inSecondSession"> {
  readonly run: (query: Sql) => Promise<void>;
  readonly inSecondSession: <T>(work: (session: FileSession) => Promise<T>) => Promise<T>;
  readonly load: (name: string, columns: readonly (Column | PackedColumn)[]) => void;
}

/** Runs `work` in its own transaction; what it writes is durable when the promise resolves. */
export type Write<Access> = <T>(work: (access: Access) => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** Where one writes at a time. */
export interface Writing<Access> {
  /** Aborts with the error of a closed store when `close` is called. For work that waits for a reader. */
  readonly closing: AbortSignal;
  /**
   * Runs `turn` when all earlier writes have ended, and no other write until it ends; it writes with what it is given.
   */
  readonly inTurn: <T>(turn: (write: Write<Access>) => Promise<T>) => Promise<T>;
}

/** A database to read. */
export interface Store {
  /** Shared by all work on this store. */
  readonly turns: Turns;
  /** Aborts with the error of a closed store when `close` is called. */
  readonly closing: AbortSignal;
  /** The epoch of a snapshot taken now; null where it is not known, during a write and after `close`. */
  readonly epoch: () => number | null | Promise<number | null>;
  /** Runs `work` on one snapshot. */
  readonly read: <T>(work: (session: Session) => Promise<T>, signal?: AbortSignal) => Promise<T>;
  /**
   * Rejects work under way and waiting work with `reason`. From then on closing skips what can wait, such as a
   * checkpoint.
   */
  readonly interrupt: (reason: unknown) => void;
  /** Closes the store after the work in progress has ended. */
  readonly close: () => Promise<void>;
}

/** The tables of records that stand beside evaluations. */
export type RecordTable =
  | "feedback"
  | "model_prices"
  | "training_jobs"
  | "training_idempotency"
  | "trajectories"
  | "training_models"
  | "checkpoints"
  | "training_events"
  | "usage"
  | "object_versions"
  | "row_tables"
  | "row_spellings"
  | "stored_files";

/**
 * A session that adds records. What it adds is stored in that order, whole or not at all, and not before the work ends:
 * the session need not see it. A number that counts the records of a table is given by the database.
 */
export interface RecordSession extends Session {
  /** Adds records, whoever else adds the like; of `training_events` and `object_versions` one at a time. */
  readonly add: (table: RecordTable, columns: readonly Column[]) => Promise<void>;
  /**
   * Adds records whose identity may be that of other records; the work has found none. Where the database has no
   * transaction to rely on, the work runs once more when they are stored, and finds what was stored first under that
   * identity: its own or another's. Where it throws then, what it added is taken back.
   */
  readonly claim: (table: RecordTable, columns: readonly Column[]) => Promise<void>;
  /** Makes a version of an object, which is stored, the latest one. */
  readonly renew: (version: readonly Column[]) => Promise<void>;
  /** Deletes the records of a project for good for which a condition holds; returns how many. */
  readonly remove: (table: "feedback" | "model_prices", projectId: string, where: Sql) => Promise<number>;
  /**
   * Deletes records in the same transaction as the rest of the work; returns how many. Throws `UnsupportedError` where
   * a delete is not undone with the rest.
   */
  readonly erase: (table: "feedback" | "training_models" | "checkpoints", where: Sql) => Promise<number>;
}

/** Which calls are wanted: what all given members hold for. */
export interface CallSelection {
  readonly ids?: readonly string[] | null | undefined;
  /** Names of ops; one that ends in `:*` stands for every version of the op. */
  readonly ops?: readonly string[] | null | undefined;
  readonly parents?: readonly string[] | null | undefined;
  readonly rootsOnly?: boolean | null | undefined;
}

/** Reads the calls of a project that have begun and are not hidden. */
export interface CallSearch {
  /** Their keys, by start, then id. */
  readonly find: (
    projectId: string,
    selection: CallSelection,
    signal: AbortSignal | undefined,
  ) => Promise<readonly Key[]>;
  /** Their records by key, as they were sent; one that was hidden meanwhile is missing. */
  readonly records: (
    projectId: string,
    keys: readonly Key[],
    signal: AbortSignal | undefined,
  ) => Promise<ReadonlyMap<Key, string>>;
}

/** A database whose records beside evaluations are read with statements, and written in turns. */
export interface RecordStore extends Pick<Store, "turns" | "read"> {
  readonly records: Writing<RecordSession>;
  /** As sessions have it. */
  readonly mark?: string;
  /** Where calls are kept in parts, which no statement can join; else they are a relation. */
  readonly calls?: CallSearch;
}

/** Copies a result into a table, in memory or spilled, for as long as `work` needs it. */
export type CopyResult = <T>(
  result: ColumnStream,
  work: (session: Session, copy: Sql) => Promise<T>,
  signal?: AbortSignal,
) => Promise<T>;

/** A database in one file or in memory, which one process writes with statements. */
export interface FileStore extends Store, RecordStore, Writing<FileSession> {
  readonly read: <T>(work: (session: FileSession) => Promise<T>, signal?: AbortSignal) => Promise<T>;
  readonly epoch: () => number | null;
  /** One at a time. */
  readonly write: Write<FileSession>;
  /**
   * Runs `work` in a transaction that writes only tables of the database `SCRATCH`: they are in memory, spill as other
   * memory does, and end with the store. Needs no turn, and leaves the epoch as it is; read-only stores have it too.
   */
  readonly scratch: <T>(work: (session: FileSession) => Promise<T>, signal?: AbortSignal) => Promise<T>;
  /** How many bytes the database may hold in memory. */
  readonly memoryBytes: number;
  /**
   * Passes `use` the bytes of a separate database with all that is committed by now; reads and writes continue
   * meanwhile. Throws `StoreError` where there is no file, or where part of the database is still in its log.
   */
  readonly copy: (use: (pieces: AsyncIterable<Uint8Array>) => Promise<void>) => Promise<void>;
  /**
   * Calls `tooMuch` when memory of the process outside of JavaScript has grown by more than the memory limit allows
   * since the last time without any watch. Returns a function that ends the watch and gives leftover memory back.
   */
  readonly watchMemory: (tooMuch: () => void) => () => Promise<void>;
  /**
   * Reduces a DuckDB of two threads to one, so that a long write leaves a core to the process; resolves to the function
   * that ends this.
   */
  readonly limitToOneThread: () => Promise<() => Promise<void>>;
  /**
   * Gives up memory that holds what is in the file too, unless other work is under way. Called between statements of a
   * write.
   */
  readonly shedMemory: () => Promise<void>;
}
