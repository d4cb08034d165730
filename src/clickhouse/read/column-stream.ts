import { addAbortSignal, type Readable } from "node:stream";
import { readBatches, type IpcBatch } from "../../arrow/ipc/batches.ts";
import { chunkReader } from "../../arrow/ipc/byte-reader.ts";
import { streamParts } from "../../arrow/ipc/messages.ts";
import type { ColumnBatch, ColumnField, ColumnStream } from "../../store/columns.ts";
import type { Turns } from "../../model/turns.ts";
import { gathererOf, type Gatherer } from "./gather.ts";

/**
 * A batch is full when it has this many records or this many bytes, looked at after each piece: as on DuckDB, so that
 * files are the same.
 */
const BATCH_ROWS = 65_536;
const BATCH_BYTES = 32 * 2 ** 20;
const PIECE_ROWS = 2048;

/** The columns of an Arrow stream, without a value for each record, in batches of the sizes that DuckDB's have. */
export async function columnStream(
  stream: Readable,
  turns: Turns,
  signal: AbortSignal | undefined,
): Promise<ColumnStream> {
  if (signal !== undefined) addAbortSignal(signal, stream);
  const batches = readBatches(streamParts(chunkReader(stream)));
  const head = await batches.next().catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
  if (head.done === true) throw new TypeError("an Arrow stream without a schema");
  const columns = head.value.fields.map(({ name, type }) => ({ name, ...gathererOf(type, name) }));
  const fields = columns.map(({ name, type }): ColumnField => ({ name, type }));
  const gatherers = columns.map(({ gatherer }) => gatherer);
  return { fields, batches: gathered(stream, batches, gatherers, turns, signal) };
}

async function* gathered(
  stream: Readable,
  batches: AsyncIterable<IpcBatch>,
  columns: readonly Gatherer[],
  turns: Turns,
  signal: AbortSignal | undefined,
): AsyncGenerator<ColumnBatch, void, undefined> {
  let length = 0;
  let piece = 0;
  try {
    for await (const batch of batches) {
      for (let from = 0; from < batch.length;) {
        await turns.take();
        signal?.throwIfAborted();
        const count = Math.min(PIECE_ROWS - piece, batch.length - from);
        for (const [i, data] of batch.columns.entries()) columns[i]?.append(data, from, count);
        from += count;
        length += count;
        piece = (piece + count) % PIECE_ROWS;
        const bytes = columns.reduce((sum, { size }) => sum + size, 0);
        if (piece > 0 || (length < BATCH_ROWS && bytes < BATCH_BYTES)) continue;
        yield taken(columns, length);
        length = 0;
      }
    }
    if (length > 0) yield taken(columns, length);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    stream.destroy();
  }
}

function taken(columns: readonly Gatherer[], length: number): ColumnBatch {
  return { length, columns: columns.map((column) => column.take()) };
}
