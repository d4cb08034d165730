import { isUtf8 } from "node:buffer";
import { lineBlocks, linesOf, MAX_LINE_BYTES } from "../../bytes/lines.ts";
import { isDeeper } from "../../model/json-bounds.ts";
import { parseJson, type Json } from "../../model/json.ts";
import { SourceFault } from "./fault.ts";
import { JsonCutter } from "./json-cutter.ts";
import { parsePiece } from "./json-pieces.ts";
import type { SourceFile } from "./source-file.ts";

const MAX_DEPTH = 980;

/** A line that is not blank, counted from 1. */
export interface TextLine {
  readonly line: number;
  readonly bytes: Buffer;
}

/** The lines of a text that are not blank. */
export async function* textLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TextLine> {
  const at = { line: 0 };
  const tooLong = () =>
    new SourceFault("invalid", `line ${at.line + 1}`, `is longer than ${MAX_LINE_BYTES / 1024 ** 2} MiB`);
  for await (const block of lineBlocks(bytes, tooLong))
    for (const one of linesOf(block, at)) yield { line: at.line, bytes: one };
}

/** Lines, and whether one is the last of a file that does not end a line: it may still be being written. */
export async function* linesWithEnd(file: Pick<SourceFile, "size" | "bytes" | "read">) {
  const isOpenEnd = file.size > 0 && (await file.read(file.size - 1, 1))[0] !== 10;
  let before: TextLine | null = null;
  for await (const line of textLines(file.bytes())) {
    if (before !== null) yield { line: before, isOpen: false };
    before = line;
  }
  if (before !== null) yield { line: before, isOpen: isOpenEnd };
}

export function notUtf8(place: string | null): SourceFault {
  return new SourceFault("invalid", place, "is not UTF-8: save it in that encoding");
}

/** Parses a line of NDJSON; bare NaN and infinities stay marked. Throws {@link SourceFault}. */
export function parseLine({ line, bytes }: TextLine, place = `line ${line}`): Json {
  if (!isUtf8(bytes)) throw notUtf8(place);
  return parseRecord(bytes.toString("utf8").replace(/^\uFEFF/, ""), place);
}

/** Parses a record; bare NaN and infinities stay marked. Throws {@link SourceFault}. */
export function parseRecord(text: string, place: string): Json {
  if (isDeeper(text, MAX_DEPTH))
    throw new SourceFault("invalid", place, `is nested more than ${MAX_DEPTH} levels deep`);
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const value = mayHaveNoNumbers(text) ? withBareWords(text) : undefined;
    if (value !== undefined) return value;
    throw new SourceFault("invalid", place, `is not JSON: ${error.message}`, { cause: error });
  }
}

/** Whether bare NaN or infinities may be in a text. */
export function mayHaveNoNumbers(text: string | Buffer): boolean {
  return text.includes("NaN") || text.includes("Infinity");
}

function withBareWords(text: string): Json | undefined {
  try {
    const cutter = new JsonCutter({});
    cutter.push(Buffer.from(text));
    return parsePiece(cutter.end());
  } catch (error) {
    if (error instanceof SourceFault) return undefined;
    throw error;
  }
}
