import type { RecordBatch, Table } from "apache-arrow";
import { emptyBatch, encodeBatch, collectTable } from "../../arrow/encode/batch.ts";
import { encodeSchema } from "../../arrow/encode/types.ts";
import { EvalcubeError, RequestError, StoreError } from "../../errors.ts";
import type { ColumnStream } from "../../store/columns.ts";
import type { FileStore } from "../../store/session.ts";
import { abortWith, generatePieces } from "../../flow/pieces.ts";
import { checkOptions, RULE, type OptionRules } from "../../flow/check-options.ts";
import { prepareStatement, type AskedStatement, type SqlContext } from "./prepare-statement.ts";

/** Options of a SQL statement. */
export interface SqlOptions {
  /** Stops the statement; the promise rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit in seconds until the last record is read, after which the statement is interrupted; default 30. */
  readonly timeLimitSeconds?: number | undefined;
  /** The most bytes of a table that is held in memory as a whole; default 256 MiB. */
  readonly maxResultBytes?: number | undefined;
  /**
   * `strict` for a statement that you pass on for somebody else: it is refused where it could not be stopped in time, or where its
   * memory could not be counted. Default: it may cost what the process has.
   */
  readonly limits?: "strict" | undefined;
}

export const SQL_RULES: OptionRules = {
  signal: RULE.signal,
  timeLimitSeconds: {
    allowed: "a number above 0",
    fits: (value) => typeof value === "number" && value > 0,
  },
  maxResultBytes: {
    allowed: "a number of bytes, 0 or more",
    fits: (value) => typeof value === "number" && value >= 0,
  },
  limits: { allowed: '"strict"', fits: (value) => value === "strict" },
};

const MAX_RESULT_BYTES = 2 ** 28;

const TIME_LIMIT_SECONDS = 30;

interface Asked extends AskedStatement {
  readonly context: SqlContext;
  readonly options: SqlOptions;
}

/**
 * Runs one SELECT over the views of a project; yields its records in batches, one empty batch where there are none.
 */
export async function* querySql(asked: Asked): AsyncGenerator<RecordBatch, void, undefined> {
  const { context, options } = asked;
  const { store } = context;
  checkOptions(options, SQL_RULES);
  yield* generatePieces<RecordBatch>(
    (write, signal) =>
      overResult({ ...asked, options: { ...options, signal } }, async (batches) => {
        for await (const batch of batches) await write(batch);
      }),
    store.closing,
    options.signal,
  );
}

/** Runs such a statement and returns all its records in memory; throws when they are too large. */
export async function querySqlTable(asked: Asked): Promise<Table> {
  checkOptions(asked.options, SQL_RULES);
  const { maxResultBytes = MAX_RESULT_BYTES } = asked.options;
  return overResult(asked, (batches) => collectTable(batches, maxResultBytes));
}

function overResult<T>(asked: Asked, work: (batches: AsyncIterable<RecordBatch>) => Promise<T>): Promise<T> {
  const { context, options } = asked;
  return withinLimits(context.store, options, (signal) =>
    context.store.read(async (session) => {
      const query = await prepareStatement(session, context, asked, options.limits);
      try {
        return await work(columnBatches(await session.vectors(query)));
      } catch (error) {
        throw explanation(error, asked.statement);
      }
    }, signal),
  );
}

export async function* columnBatches({
  fields,
  batches,
}: ColumnStream): AsyncGenerator<RecordBatch, void, undefined> {
  const schema = encodeSchema(fields);
  let count = 0;
  for await (const batch of batches) {
    yield encodeBatch(schema, batch);
    count++;
  }
  if (count === 0) yield emptyBatch(schema);
}

/** Beginnings, in lower case, of errors that the statement did not cause. */
const FAULTS_OF_THE_ENGINE = ["io", "internal", "fatal", "transactioncontext", "interrupt"];

const TOO_MUCH_MEMORY = "the statement took more memory than the engine may use";

/** What DuckDB proposes instead of an unknown column: of the views it sees only the columns that the statement names. */
const NARROW_CANDIDATES = /!?\s{1,9}Candidate bindings: .*/s;

/**
 * Converts a failed query to an error without the text of the views: `memory_limit` where memory ran out, `statement_failed` for a
 * fault of the engine, otherwise a `RequestError` about the statement. Any other error is returned unchanged.
 */
export function explanation(error: unknown, statement: string): unknown {
  if (!(error instanceof StoreError)) return error;
  if (error.code === "out_of_memory")
    return new EvalcubeError("memory_limit", TOO_MUCH_MEMORY, { cause: error });
  if (error.code !== "query_failed") return error;
  const message = withoutExcerpt(error.cause instanceof Error ? error.cause.message : error.message);
  if (FAULTS_OF_THE_ENGINE.some((beginning) => message.toLowerCase().startsWith(beginning))) {
    return new EvalcubeError("statement_failed", message.split("\n")[0] ?? "", { cause: error });
  }
  const plain = message
    .replace(/^[A-Z][A-Za-z ]* Error: /, "")
    .replace(NARROW_CANDIDATES, "; DESCRIBE and the name of a view lists its columns");
  const msg = hintOf(plain, statement) ?? plain;
  return new RequestError("meaning", [{ loc: ["statement"], msg, type: "sql_failed" }]);
}

const UNQUOTED = /Referenced (?:table|column) "scores" not found|not have a column named "scores"/;

/** What a statement about scores must be written as, where that is what is wrong with it. */
function hintOf(message: string, statement: string): string | null {
  const [field] = UNQUOTED.test(message) ? (/\bscores(?:\.\w{1,200}){1,20}/.exec(statement) ?? []) : [];
  if (field !== undefined) return `write "${field}" in quotation marks`;
  const [, name = ""] = /argument types '(\w{1,99})\(BOOLEAN\)'/.exec(message) ?? [];
  if (name === "") return null;
  const called = new RegExp(`\\b${name}\\s{0,9}\\(\\s{0,9}("[^"]{1,999}"|[\\w.]{1,999})\\s{0,9}\\)`, "i");
  const [, argument = "its argument"] = called.exec(statement) ?? [];
  const shown = argument === "its argument" ? "value" : argument;
  return `${argument} is true or false: ${name}(${shown}::int)`;
}

/**
 * Removes the excerpt of a message: the line that begins with `LINE` shows a part of the executed text, including the
 * views.
 */
function withoutExcerpt(message: string): string {
  const lines = message.split("\n");
  const excerpt = lines.findIndex((line) => line.trimStart().startsWith("LINE "));
  return lines
    .slice(0, excerpt === -1 ? lines.length : excerpt)
    .join("\n")
    .trim();
}

/**
 * Runs `work` with a signal that aborts when the time is up, when too much memory is in use, or when the given signal
 * aborts.
 */
export async function withinLimits<T>(
  store: FileStore,
  { timeLimitSeconds: seconds = TIME_LIMIT_SECONDS, signal }: SqlOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const end = (code: string, message: string) => controller.abort(new EvalcubeError(code, message));
  const late = () => end("time_limit", `the statement took longer than ${seconds} seconds`);
  const large = () => end("memory_limit", TOO_MUCH_MEMORY);
  const unfollow = abortWith(controller, [signal]);
  const timer = seconds > LONGEST_TIMER ? undefined : setTimeout(late, seconds * 1000);
  try {
    store.closing.throwIfAborted();
    const unwatch = store.watchMemory(large);
    try {
      return await work(controller.signal);
    } finally {
      await unwatch();
    }
  } finally {
    clearTimeout(timer);
    unfollow();
  }
}

/** Longest time that a timer can count, in seconds; a longer time limit is not enforced. */
const LONGEST_TIMER = 2_000_000;
