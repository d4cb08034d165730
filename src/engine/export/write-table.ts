import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import type { RecordBatch } from "apache-arrow";
import { encodeIpc } from "../../arrow/encode/ipc.ts";
import type { Session } from "../../store/session.ts";
import type { LineFormat } from "../../compile/table/text-lines.ts";
import type { SqlStatement } from "../../store/sql.ts";
import {
  hasMethods,
  invalidOption,
  isObject,
  RULE,
  type OptionRule,
  type OptionRules,
} from "../../flow/check-options.ts";
import { failedWriting, inTemporaryFile, replaceFile, writeFileChunks } from "./to-file.ts";
import { checkStream, writeStreamChunks, type OutputStream } from "./to-stream.ts";

const EXPORT_FORMATS = ["parquet", "csv", "jsonl", "json", "arrow"] as const;
/** `json` is one array of objects; `jsonl` has one object per line. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Where and how a table is written. Give either a path or a stream. */
export interface WriteOptions {
  /** The format of the file or stream. */
  readonly format: ExportFormat;
  /**
   * Whether CSV is for spreadsheets, default false: an apostrophe stands before each text, never a number, that begins
   * with `=`, `+`, `-`, `@`, a tab or a carriage return, which they would take for a formula.
   */
  readonly csvSafe?: boolean | undefined;
  /** The path of a file; an existing file is replaced in one step when the new one is complete. */
  readonly path?: string | undefined;
  /** A Node stream or a web stream instead of a file; it is not ended. */
  readonly stream?: OutputStream | undefined;
  /** Stops the export; no file is written, and a stream has received a part. */
  readonly signal?: AbortSignal | undefined;
}

/** A table to write; a format calls only the members that it needs. */
interface WritableTable {
  /** Statements whose columns are those of the table, with their names; each has the records that follow. */
  readonly columns: () => readonly SqlStatement[];
  /** Statements whose single column holds the lines of a format, and the text before and after them. */
  readonly lines: (format: LineFormat) => TextLines;
  readonly batches: () => AsyncIterable<RecordBatch>;
}

export interface TextLines {
  readonly head: string;
  readonly queries: readonly SqlStatement[];
  readonly tail: (records: number) => string;
}

const FORMAT_RULE: OptionRule = {
  allowed: `one of ${EXPORT_FORMATS.join(", ")}`,
  fits: (value) => EXPORT_FORMATS.some((format) => format === value),
};

export const WRITE_RULES: OptionRules = {
  format: FORMAT_RULE,
  csvSafe: RULE.flag,
  path: { allowed: "the path of a file, a text", fits: (value) => typeof value === "string" },
  stream: {
    allowed: "a Writable of Node or a WritableStream",
    fits: (value) =>
      isObject(value) && (hasMethods(value, "getWriter") || hasMethods(value, "write", "on", "off")),
  },
  signal: RULE.signal,
};

/** Throws on a target that cannot be written, before any work is done. */
export function checkTarget({ format, path: file, stream, csvSafe }: WriteOptions): void {
  if (!FORMAT_RULE.fits(format)) throw invalidOption(`format must be ${FORMAT_RULE.allowed}`);
  if (csvSafe === true && format !== "csv") throw invalidOption("csvSafe is for the format csv");
  if ((file === undefined) === (stream === undefined)) {
    throw invalidOption("an export goes either to a path or to a stream: give one of the two");
  }
  if (stream !== undefined) checkStream(stream);
}

/**
 * Writes a table in bounded memory; resolves to the number of its records. Arrow data has the file format at a path and
 * the stream format in a stream.
 */
export async function writeTable(
  session: Session,
  table: WritableTable,
  options: WriteOptions,
): Promise<number> {
  const { path: file, stream, signal } = options;
  const format = options.format === "csv" && options.csvSafe === true ? "safe-csv" : options.format;
  const count = { records: 0 };
  if (file !== undefined) {
    await replaceFile(file, async (temporary) => {
      if (format === "parquet") await copyParquet(session, table, temporary, count);
      else await writeFileChunks(temporary, tableBytes(session, table, format, "file", count));
    });
  } else if (stream !== undefined && format !== "parquet") {
    await writeStreamChunks(stream, tableBytes(session, table, format, "stream", count), signal);
  } else if (stream !== undefined) {
    await inTemporaryFile(async (temporary) => {
      await copyParquet(session, table, temporary, count).catch(failedWriting(temporary, temporary));
      await writeStreamChunks(stream, createReadStream(temporary), signal);
    });
  }
  return count.records;
}

interface Count {
  records: number;
}

async function copyParquet(
  session: Session,
  table: WritableTable,
  file: string,
  count: Count,
): Promise<void> {
  const parts = table.columns();
  const [only, ...others] = parts;
  if (only === undefined) return;
  if (others.length === 0) return copyTo(session, only, file, count);
  const files = parts.map((_, i) => `${file}.${i}`);
  try {
    const all = { records: 0 };
    for (const [i, part] of parts.entries()) await copyTo(session, part, files[i] ?? "", all);
    // A batch of records is of one file, so that few texts are in memory.
    const list = files.map((one) => `'${one.replaceAll(/[[*?]/g, "[$&]").replaceAll("'", "''")}'`).join(", ");
    const joined = { sql: `SELECT * FROM read_parquet([${list}])`, params: [] };
    const rows = Math.min(ROW_GROUP, Math.ceil(all.records / parts.length));
    await copyTo(session, joined, file, count, `, ROW_GROUP_SIZE ${rows}`);
  } finally {
    await Promise.all(files.map((one) => rm(one, { force: true })));
  }
}

/** Records of a row group, at most. */
const ROW_GROUP = 122_880;

async function copyTo(
  session: Session,
  { sql, params }: SqlStatement,
  file: string,
  count: Count,
  options = "",
): Promise<void> {
  const format = `FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false${options}`;
  const copy = `COPY (${sql}) TO $${params.length + 1} (${format})`;
  const target = { type: "VARCHAR", value: file } as const;
  const { batches } = await session.vectors({ sql: copy, params: [...params, target] });
  for await (const { columns } of batches) {
    const copied = columns[0]?.bytes;
    if (copied != null) count.records += Number(new BigInt64Array(copied.slice().buffer)[0]);
  }
}

function tableBytes(
  session: Session,
  table: WritableTable,
  format: LineFormat | "arrow",
  arrow: "file" | "stream",
  count: Count,
): AsyncIterable<Uint8Array> {
  if (format === "arrow") return encodeIpc(counted(table.batches(), count), arrow);
  return textBytes(session, table.lines(format), count);
}

/** DuckDB makes the lines: the bytes of its single column are the bytes of the file. */
async function* textBytes(session: Session, lines: TextLines, count: Count): AsyncGenerator<Uint8Array> {
  if (lines.head !== "") yield Buffer.from(lines.head, "utf8");
  for (const query of lines.queries) {
    const { batches } = await session.vectors(query);
    for await (const { length, columns } of batches) {
      count.records += length;
      const bytes = columns[0]?.bytes;
      if (bytes != null) yield bytes;
    }
  }
  const tail = lines.tail(count.records);
  if (tail !== "") yield Buffer.from(tail, "utf8");
}

async function* counted(batches: AsyncIterable<RecordBatch>, count: Count): AsyncGenerator<RecordBatch> {
  for await (const batch of batches) {
    count.records += batch.numRows;
    yield batch;
  }
}
