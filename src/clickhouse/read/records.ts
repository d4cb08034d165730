import type { Readable } from "node:stream";
import { DataType, Vector, type Data, type Field } from "apache-arrow";
import { chunkReader } from "../../arrow/ipc/byte-reader.ts";
import { readBatches } from "../../arrow/ipc/batches.ts";
import { streamParts } from "../../arrow/ipc/messages.ts";
import type { Turns } from "../../model/turns.ts";
import type { SqlValue } from "../../store/sql.ts";

/** The records of an Arrow stream as arrays of values. Integers of 64 bits and more are bigints. */
export async function arrowRecords(
  stream: Readable,
  turns: Turns,
  signal: AbortSignal | undefined,
): Promise<SqlValue[][]> {
  const records: SqlValue[][] = [];
  try {
    for await (const batch of readBatches(streamParts(chunkReader(stream)))) {
      const columns = batch.columns.map((data, i) => valuesOf(data, batch.fields[i]));
      for (let i = 0; i < batch.length; i++) {
        await turns.take();
        records.push(columns.map((value) => value(i)));
      }
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
  return records;
}

function valuesOf(data: Data, field: Field | undefined): (i: number) => SqlValue {
  const vector = new Vector([data]);
  return (i) => {
    const value: unknown = vector.get(i);
    if (value === null || value === undefined) return null;
    if (typeof value === "number" || typeof value === "bigint") return value;
    if (typeof value === "boolean" || typeof value === "string") return value;
    if (value instanceof Uint8Array && DataType.isFixedSizeBinary(data.type)) return wideInteger(value);
    throw new TypeError(`the column ${field?.name} has values that are no number, text or boolean`);
  };
}

/** An integer with a sign, lowest byte first. */
function wideInteger(bytes: Uint8Array): bigint {
  const unsigned = bytes.reduceRight((number, byte) => (number << 8n) | BigInt(byte), 0n);
  return BigInt.asIntN(bytes.length * 8, unsigned);
}
