import type { RecordBatch, Table } from "apache-arrow";
import type { Session } from "./session.ts";
import type { SqlStatement } from "./sql.ts";

/** Values of `?` and `$1` in order, or of `$name` by name. */
export type StatementParameters = readonly StatementValue[] | Readonly<Record<string, StatementValue>>;

/** A value that can be bound to a parameter; an integer has at most 64 bits. */
export type StatementValue = null | boolean | number | bigint | string;

/** Options of a SQL statement. */
export interface SqlOptions {
  /** Stops the statement; the promise rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit in seconds until the last record is read, after which the statement is interrupted; default 30. */
  readonly timeLimitSeconds?: number | undefined;
  /** The most bytes of a table that is held in memory as a whole; default 256 MiB. */
  readonly maxResultBytes?: number | undefined;
  /**
   * `strict` for a statement that you pass on for somebody else: it is refused where it could not be stopped in time,
   * or where its memory could not be counted. Default: it may cost what the process has.
   */
  readonly limits?: "strict" | undefined;
}

/** A statement of a user about a project. */
export interface AskedStatement {
  readonly projectId: string;
  readonly statement: string;
  readonly params: StatementParameters;
}

/** Runs statements of users over the views of a project, within the limits that options name. */
export interface StatementRunner {
  /** All records in memory; throws where they are too large. */
  readonly table: (asked: AskedStatement, options: SqlOptions) => Promise<Table>;
  /** The records in batches, one empty batch where there are none. */
  readonly batches: (asked: AskedStatement, options: SqlOptions) => AsyncIterableIterator<RecordBatch>;
  /** Lets `work` read the checked statement; its failures become errors about the statement. */
  readonly within: <T>(
    asked: AskedStatement,
    options: SqlOptions,
    work: (session: Session, query: SqlStatement, signal: AbortSignal) => Promise<T>,
  ) => Promise<T>;
}
