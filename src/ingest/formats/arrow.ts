import { open } from "node:fs/promises";
import type { Data, Field } from "apache-arrow";
import { ArrowFault } from "../../arrow/arrow-fault.ts";
import { bytesInFile, bytesInMemory, chunkReader, type RandomBytes } from "../../arrow/ipc/byte-reader.ts";
import { readBatches, type IpcBatch } from "../../arrow/ipc/batches.ts";
import { isIpcFile, readParts, streamParts, type IpcPart } from "../../arrow/ipc/messages.ts";
import { arrowName } from "../../arrow/decode/json-texts.ts";
import { beginning } from "../../bytes/unpack.ts";
import { IngestError } from "../../errors.ts";
import { arrowGroups } from "./arrow-records.ts";
import type { RecordBatchLike } from "./arrow-shapes.ts";
import type { RecordGroup } from "./record-source.ts";

/** The records of an Arrow IPC file or stream on disk. */
export async function* ipcPathGroups(path: string): AsyncGenerator<RecordGroup> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    yield* ipcBytesGroups(bytesInFile(file, size), path);
  } finally {
    await file.close();
  }
}

/** The records of an Arrow IPC file or stream in memory. */
export function ipcMemoryGroups(bytes: Uint8Array, name: string): AsyncGenerator<RecordGroup> {
  return ipcBytesGroups(bytesInMemory(bytes), name);
}

async function* ipcBytesGroups(bytes: RandomBytes, name: string): AsyncGenerator<RecordGroup> {
  let furthest = 0;
  const counted: RandomBytes = {
    size: bytes.size,
    read: (offset, length) => {
      if (offset + length < bytes.size) furthest = Math.max(furthest, offset + length);
      return bytes.read(offset, length);
    },
  };
  yield* groupsOf(readBatches(readParts(counted)), name, () => furthest);
}

/** The records of Arrow IPC that comes in chunks; a file is held in memory, as its footer comes last. */
export function ipcStreamGroups(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<RecordGroup> {
  let bytes = 0;
  async function* counted() {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  return groupsOf(readBatches(chunkedParts(counted())), name, () => bytes);
}

async function* chunkedParts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<IpcPart> {
  const { head, all } = await beginning(chunks, MAGIC_BYTES);
  if (!isIpcFile(head)) return yield* streamParts(chunkReader(all));
  const whole: Uint8Array[] = [];
  for await (const chunk of all) whole.push(chunk);
  yield* readParts(bytesInMemory(Buffer.concat(whole)));
}

const MAGIC_BYTES = 8;

/** The records of batches that are in memory, or are made as they are read. */
export function batchGroups(
  batches: AsyncIterable<RecordBatchLike>,
  name: string,
): AsyncGenerator<RecordGroup> {
  async function* columns(): AsyncGenerator<IpcBatch> {
    for await (const { schema, data, numRows } of batches)
      yield {
        fields: schema.fields as readonly Field[],
        columns: data.children as readonly Data[],
        length: numRows,
      };
  }
  return groupsOf(columns(), name, () => 0);
}

async function* groupsOf(
  batches: AsyncIterable<IpcBatch>,
  name: string,
  bytesRead: () => number,
): AsyncGenerator<RecordGroup> {
  let before = 0;
  let fields: readonly Field[] | null = null;
  let columns: readonly string[] = [];
  try {
    for await (const batch of batches) {
      if (batch.fields !== fields) {
        fields = batch.fields;
        columns = fields.map(arrowName);
        yield { records: [], bytes: bytesRead(), columns };
      }
      for (const records of arrowGroups(batch, before)) {
        before += records.length;
        yield { records, bytes: bytesRead(), columns };
      }
    }
  } catch (error) {
    if (!(error instanceof ArrowFault)) throw error;
    throw new IngestError(name, before + 1, [], `cannot be read as Arrow: ${error.message}`, {
      cause: error,
    });
  }
}
