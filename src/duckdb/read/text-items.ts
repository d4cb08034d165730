import type { DuckDBDataChunk } from "@duckdb/node-api";
import { isValid } from "../../arrow/bits.ts";
import { decodeText } from "../../bytes/decode-text.ts";
import { dataOf, vectorOf, type Vector } from "../native/read-vector.ts";
import { bytesFrom, SHORT_TEXT, TEXT_BYTES, textLength } from "../native/string-layout.ts";
import { validityOf } from "../native/validity.ts";
import { words } from "./gatherer.ts";
import { texts } from "./texts.ts";

/** The texts of a column, one by one. */
interface TextItems {
  readonly item: (record: number) => string | null | Promise<string>;
  /** Whether they are so long that each takes a turn. */
  readonly areLong: boolean;
}

/** Texts of a chunk that have more bytes than this are read each by itself. */
const LONG_BYTES = 1024 * 1024;

/**
 * Reads the texts of a column one by one, as long as the chunk is held. The bytes of short ones are copied together: the client makes a
 * buffer for each text, which costs more than the text and adds an object for the garbage collector to find.
 */
export function textItems(chunk: DuckDBDataChunk, column: number): TextItems {
  const vector = vectorOf(chunk.chunk, column);
  const { rowCount } = chunk;
  const entries = dataOf(vector, rowCount * TEXT_BYTES);
  const validity = validityOf(vector, rowCount);
  const entryWords = words(entries);
  let total = 0;
  for (let i = 0; i < rowCount; i++) if (isValid(validity, i)) total += textLength(entryWords, i);
  if (total <= LONG_BYTES) return { item: together(vector, rowCount), areLong: false };
  const item = (record: number) => {
    if (!isValid(validity, record)) return null;
    const length = textLength(entryWords, record);
    const start = record * TEXT_BYTES + 4;
    const bytes =
      length <= SHORT_TEXT ? entries.subarray(start, start + length) : bytesFrom(entries, record, length);
    return length < LONG_BYTES ? Buffer.from(bytes).toString("utf8") : decodeText(piecesOf(bytes));
  };
  return { item, areLong: true };
}

const PIECE_BYTES = 256 * 1024;

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

function together(vector: Vector, rowCount: number): TextItems["item"] {
  const gathered = texts(rowCount);
  gathered.append(vector, 0, rowCount);
  const { bytes, offsets, validity } = gathered.take();
  const letters = bytes === null ? EMPTY : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (record) =>
    isValid(validity, record) ? letters.toString("utf8", offsets?.[record], offsets?.[record + 1]) : null;
}

const EMPTY = Buffer.alloc(0);
