import type { RecordBatch } from "apache-arrow";
import { collectTable, recordBatches } from "../../arrow/encode/batch.ts";
import { EvalcubeError, requestFault, StoreError } from "../../errors.ts";
import type { FileStore } from "../../store/session.ts";
import type { AskedStatement, SqlOptions, StatementRunner } from "../../store/statements.ts";
import { abortWith, generatePieces } from "../../flow/pieces.ts";
import { createSqlContext, prepareStatement } from "./prepare-statement.ts";

const MAX_RESULT_BYTES = 2 ** 28;

const TIME_LIMIT_SECONDS = 30;

/** Runs statements over the views of a project in a file. */
export function createStatementRunner(store: FileStore): StatementRunner {
  const within = statementsOf(store);
  const overBatches = <T>(
    asked: AskedStatement,
    options: SqlOptions,
    work: (batches: AsyncIterable<RecordBatch>) => Promise<T>,
  ) => within(asked, options, async (session, query) => work(recordBatches(await session.vectors(query))));
  return {
    within,
    table: (asked, options) =>
      overBatches(asked, options, (batches) =>
        collectTable(batches, options.maxResultBytes ?? MAX_RESULT_BYTES),
      ),
    batches: (asked, options) =>
      generatePieces<RecordBatch>(
        (write, signal) =>
          overBatches(asked, { ...options, signal }, async (batches) => {
            for await (const batch of batches) await write(batch);
          }),
        store.closing,
        options.signal,
      ),
  };
}

function statementsOf(store: FileStore): StatementRunner["within"] {
  const context = createSqlContext(store);
  return async (asked, options, work) => {
    let texts: readonly string[] = [];
    try {
      return await withinLimits(store, options, (signal) =>
        store.read(async (session) => {
          const query = await prepareStatement(session, context, asked, options.limits);
          ({ texts } = query);
          try {
            return await work(session, query, signal);
          } catch (error) {
            throw explanation(error, asked.statement);
          }
        }, signal),
      );
    } catch (error) {
      throw withTexts(error, texts);
    }
  };
}

/** Beginnings, in lower case, of errors that the statement did not cause. */
const FAULTS_OF_THE_ENGINE = ["io", "internal", "fatal", "transactioncontext", "interrupt"];

const TOO_MUCH_MEMORY = "the statement took more memory than the engine may use";

/** The error of a lack of memory with the long texts that the statement reads, and how it can read fewer. */
function withTexts(error: unknown, texts: readonly string[]): unknown {
  if (!(error instanceof EvalcubeError) || error.code !== "memory_limit" || texts.length === 0) return error;
  const advice = `it reads the long texts of ${texts.join(", ")}: keep fewer records by where, or select the column itself, and set a limit`;
  return new EvalcubeError(error.code, `${TOO_MUCH_MEMORY}; ${advice}`, { cause: error.cause });
}

/**
 * What DuckDB proposes instead of an unknown column: of the views it sees only the columns that the statement names.
 */
const NARROW_CANDIDATES = /!?\s{1,9}Candidate bindings: .*/s;

/**
 * Converts a failed query to an error without the text of the views: `memory_limit` where memory ran out,
 * `statement_failed` for a fault of the engine, otherwise a `RequestError` about the statement. Any other error is
 * returned unchanged.
 */
function explanation(error: unknown, statement: string): unknown {
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
  return requestFault("meaning", ["statement"], msg, "sql_failed");
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
async function withinLimits<T>(
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
