import type { DuckDBDataChunk } from "@duckdb/node-api";
import { isValid } from "../../arrow/bits.ts";
import { decodeText, piecesOf } from "../../model/long-texts.ts";
import { dataOf, vectorOf, type Vector } from "../native/read-vector.ts";
import { bytesFrom, SHORT_TEXT, TEXT_BYTES, textLength } from "../native/string-layout.ts";
import { validityOf } from "../native/validity.ts";
import { words } from "./gatherer.ts";
import { texts } from "./texts.ts";

/** Texts of a chunk that have more bytes than this are read each by itself. */
const LONG_BYTES = 1024 * 1024;

/**
 * Reads the texts of a column one by one, as long as the chunk is held. The bytes of short ones are copied together: the client makes a
 * buffer for each text, which costs more than the text and adds an object for the garbage collector to find. `areLong`: each takes a turn.
 */
export function textItems(chunk: DuckDBDataChunk, column: number) {
  const vector = vectorOf(chunk.chunk, column);
  const { rowCount } = chunk;
  const entries = dataOf(vector, rowCount * TEXT_BYTES);
  const validity = validityOf(vector, rowCount);
  const entryWords = words(entries);
  let total = 0;
  for (let i = 0; i < rowCount; i++) if (isValid(validity, i)) total += textLength(entryWords, i);
  if (total <= LONG_BYTES) return { item: together(vector, rowCount), areLong: false };
  const item = (record: number): string | null | Promise<string> => {
    if (!isValid(validity, record)) return null;
    const length = textLength(entryWords, record);
    const start = record * TEXT_BYTES + 4;
    const bytes =
      length <= SHORT_TEXT ? entries.subarray(start, start + length) : bytesFrom(entries, record, length);
    return length < LONG_BYTES ? Buffer.from(bytes).toString("utf8") : decodeText(piecesOf(bytes));
  };
  return { item, areLong: true };
}

function together(vector: Vector, rowCount: number): (record: number) => string | null {
  const gathered = texts(rowCount);
  gathered.append(vector, 0, rowCount);
  const { bytes, offsets, validity } = gathered.take();
  const letters = bytes === null ? EMPTY : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (record) =>
    isValid(validity, record) ? letters.toString("utf8", offsets?.[record], offsets?.[record + 1]) : null;
}

const EMPTY = Buffer.alloc(0);
