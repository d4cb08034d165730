import { createReadStream } from "node:fs";
import { RecordBatchReader, type RecordBatch } from "apache-arrow";
import { encodeIpc } from "../arrow/encode/ipc.ts";
import { parquetRecords } from "../duckdb/described-file.ts";
import { inTemporaryFile, replaceFile, writeFileChunks } from "../engine/export/to-file.ts";
import { writeStreamChunks } from "../engine/export/to-stream.ts";
import type { ExportFormat, WriteOptions } from "../engine/export/write-table.ts";

type Bytes = AsyncIterable<Uint8Array>;

/** How many records were written. */
interface Count {
  records: number;
}

/** Writes the bytes of a table where they were asked for; resolves to the number of its records. */
export async function writeBytes(chunks: Bytes, options: WriteOptions): Promise<number> {
  const { format, path: file, stream, signal } = options;
  const count = { records: 0 };
  if (format === "parquet") return await writeParquet(chunks, options);
  const bytes = COUNTED[format](chunks, count, file === undefined ? "stream" : "file");
  if (file !== undefined) await replaceFile(file, (temporary) => writeFileChunks(temporary, bytes));
  else if (stream !== undefined) await writeStreamChunks(stream, bytes, signal);
  return count.records;
}

/** The end of a file of Parquet tells the number of its records. */
async function writeParquet(chunks: Bytes, { path: file, stream, signal }: WriteOptions): Promise<number> {
  let records = 0;
  const keep = async (temporary: string) => {
    await writeFileChunks(temporary, chunks);
    records = await parquetRecords(temporary);
  };
  if (file !== undefined) await replaceFile(file, keep);
  else if (stream !== undefined) {
    await inTemporaryFile(async (temporary) => {
      await keep(temporary);
      await writeStreamChunks(stream, createReadStream(temporary), signal);
    });
  }
  return records;
}

type Counted = (chunks: Bytes, count: Count, arrow: "file" | "stream") => Bytes;

/** The bytes as they are to be written, whose records are counted on the way. */
const COUNTED: Readonly<Record<Exclude<ExportFormat, "parquet">, Counted>> = {
  arrow: (chunks, count, arrow) => encodeIpc(countedBatches(arrowBatches(chunks), count), arrow),
  jsonl: countedLines,
  json: countedItems,
  csv: countedRecords,
};

/** The record batches of a stream of Arrow. */
export async function* arrowBatches(chunks: Bytes): AsyncGenerator<RecordBatch, void, undefined> {
  const reader = await RecordBatchReader.from(chunks);
  await reader.open();
  for await (const batch of reader) yield batch;
}

async function* countedBatches(batches: AsyncIterable<RecordBatch>, count: Count) {
  for await (const batch of batches) {
    count.records += batch.numRows;
    yield batch;
  }
}

const LINE_END = 10;
const QUOTE = 34;

async function* countedLines(chunks: Bytes, count: Count): Bytes {
  for await (const chunk of chunks) {
    for (const byte of chunk) if (byte === LINE_END) count.records++;
    yield chunk;
  }
}

const NO_ITEMS = 3;

/** An item a line, but for the list of none: `[]` and the end of its line. */
async function* countedItems(chunks: Bytes, count: Count): Bytes {
  let bytes = 0;
  for await (const chunk of countedLines(chunks, count)) {
    bytes += chunk.length;
    yield chunk;
  }
  if (bytes === NO_ITEMS) count.records = 0;
}

/** A record ends with its line, unless the end stands in quotation marks; the first one is the head. */
async function* countedRecords(chunks: Bytes, count: Count): Bytes {
  let [ends, isQuoted] = [0, false];
  for await (const chunk of chunks) {
    for (const byte of chunk) {
      if (byte === QUOTE) isQuoted = !isQuoted;
      else if (byte === LINE_END && !isQuoted) ends++;
    }
    yield chunk;
  }
  count.records = Math.max(0, ends - 1);
}
