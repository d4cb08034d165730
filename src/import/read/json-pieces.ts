import { isUtf8 } from "node:buffer";
import { parseJson, type Json } from "../../model/json.ts";
import { nextTurn } from "../../model/turns.ts";
import { SourceFault } from "./fault.ts";
import type { JsonCut, JsonPiece } from "./json-cut.ts";
import { JsonCutter } from "./json-cutter.ts";
import { withoutNoNumbers } from "./no-numbers.ts";

const BYTE_ORDER_MARK = Buffer.from("\uFEFF");
const TURN_BYTES = 512 * 1024;

/** The pieces of a document as its bytes arrive; the last is what is left of the document. */
export async function* jsonPieces(bytes: AsyncIterable<Uint8Array>, cut: JsonCut): AsyncGenerator<JsonPiece> {
  const cutter = new JsonCutter(cut);
  let isFirst = true;
  for await (const chunk of bytes) {
    let rest: Buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (isFirst && rest.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK))
      rest = rest.subarray(BYTE_ORDER_MARK.length);
    isFirst = false;
    for (let at = 0; at < rest.length; at += TURN_BYTES) {
      yield* cutter.push(rest.subarray(at, at + TURN_BYTES));
      if (rest.length > TURN_BYTES) await nextTurn();
    }
  }
  yield cutter.end();
}

/** Parses a piece; bare NaN and infinities stay marked. Throws {@link SourceFault}. */
export function parsePiece({ place, text }: JsonPiece): Json {
  return parseText(text, place === "" ? null : place);
}

/** Parses a piece, with null for bare NaN and infinities. */
export function parsePlain(piece: JsonPiece): Json {
  const value = parsePiece(piece);
  return piece.hasNoNumbers ? withoutNoNumbers(value) : value;
}

function parseText(text: Buffer, place: string | null): Json {
  if (!isUtf8(text)) throw new SourceFault("invalid", place, "is not UTF-8");
  try {
    return parseJson(text.toString("utf8"));
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof RangeError)) throw error;
    throw new SourceFault("invalid", place, `is not JSON: ${error.message}`, { cause: error });
  }
}

/** The one document of the bytes, cut and parsed. */
export async function readDocument(bytes: AsyncIterable<Uint8Array>, cut: JsonCut = {}): Promise<JsonPiece> {
  let last: JsonPiece | null = null;
  for await (const piece of jsonPieces(bytes, cut)) last = piece;
  if (last === null) throw new SourceFault("truncated", null, "is empty");
  return last;
}
