import type { DuckDBDataChunk } from "@duckdb/node-api";
import { vectorOf } from "../native/read-vector.ts";
import { texts } from "./texts.ts";
import { isValid } from "../../arrow/bits.ts";

/**
 * Reads the texts of a column one by one. Their bytes are copied together: the client makes a buffer for each text,
 * which costs more than the text and adds an object for the garbage collector to find.
 */
export function textItems(chunk: DuckDBDataChunk, column: number): (record: number) => string | null {
  const gathered = texts(chunk.rowCount);
  gathered.append(vectorOf(chunk.chunk, column), 0, chunk.rowCount);
  const { bytes, offsets, validity } = gathered.take();
  const letters = bytes === null ? EMPTY : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (record) =>
    isValid(validity, record) ? letters.toString("utf8", offsets?.[record], offsets?.[record + 1]) : null;
}

const EMPTY = Buffer.alloc(0);
