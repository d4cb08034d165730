import type { DuckDBResult } from "@duckdb/node-api";
import type { ColumnBatch, ColumnField, ColumnStream } from "../../store/columns.ts";
import { vectorOf } from "../native/vectors.ts";
import { readingOf } from "./column-types.ts";
import type { Gatherer } from "./gatherer.ts";

/** A batch is full when it has this many records or this many bytes. */
const BATCH_ROWS = 65_536;
const BATCH_BYTES = 32 * 2 ** 20;

/**
 * Reads the result's columns from DuckDB's vectors as they arrive. `failure` turns an error in between into the error
 * to throw; `whole` is called at the end and rejects if the result is incomplete.
 */
export function columnStream(
  result: DuckDBResult,
  failure: (error: unknown) => unknown,
  whole: () => Promise<void>,
  signal: AbortSignal | undefined,
): ColumnStream {
  const names = result.columnNames();
  const readings = result.columnTypes().map((type, i) => readingOf(type, names[i] ?? ""));
  const fields = readings.map(({ type }, i): ColumnField => ({ name: names[i] ?? "", type }));
  const columns = readings.map((reading) => reading.gather());
  return { fields, batches: readBatches(result, columns, failure, whole, signal) };
}

async function* readBatches(
  result: DuckDBResult,
  columns: readonly Gatherer[],
  failure: (error: unknown) => unknown,
  whole: () => Promise<void>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ColumnBatch, void, undefined> {
  let length = 0;
  for (;;) {
    const chunk = await result.fetchChunk().catch((error: unknown) => Promise.reject(failure(error)));
    // An interrupted result may look as if it had ended.
    signal?.throwIfAborted();
    const count = chunk?.rowCount ?? 0;
    if (chunk === null || count === 0) break;
    for (const [i, column] of columns.entries()) {
      column.append(vectorOf(chunk.chunk, i), 0, count);
    }
    // Without this, its texts stay in memory until the garbage collector finds the chunk.
    chunk.reset();
    length += count;
    if (length < BATCH_ROWS && columns.reduce((sum, { size }) => sum + size, 0) < BATCH_BYTES) continue;
    yield taken(columns, length);
    length = 0;
  }
  await whole();
  if (length > 0) yield taken(columns, length);
}

function taken(columns: readonly Gatherer[], length: number): ColumnBatch {
  return { length, columns: columns.map((column) => column.take()) };
}
