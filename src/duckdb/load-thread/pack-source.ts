import { deserialize, serialize } from "node:v8";
import { fileBytes, textSource, type RecordSource } from "../../ingest/formats/record-source.ts";
import { ndjsonSource } from "../../ingest/formats/ndjson.ts";
import { InvalidRecord } from "../../ingest/record/invalid-record.ts";
import type { InputPath } from "../../errors.ts";
import { textPieces } from "../../model/long-texts.ts";
import { createTurnTaker, isLongText, mapInSlices } from "../../model/turns.ts";

/**
 * A source as plain data: an NDJSON file, or the texts of records, some of them in each buffer, a long one in a list of
 * pieces.
 */
export type PackedSource =
  | { readonly name: string; readonly totalBytes: number | null }
  | { readonly name: string; readonly texts: readonly (Buffer | readonly Buffer[])[] };

/** Why a record has no text. */
interface Refusal {
  readonly path: InputPath;
  readonly reason: string;
}

/** How long records are packed at once. */
const TURN_MS = 2;

/**
 * Reads the texts of a source that is no file. A message copies its strings at once, which would keep others waiting.
 */
export async function packSource({
  name,
  totalBytes,
  isNdjsonFile,
  groups,
}: RecordSource): Promise<PackedSource> {
  if (isNdjsonFile === true) return { name, totalBytes };
  const texts: (Buffer | readonly Buffer[])[] = [];
  const turns = createTurnTaker(TURN_MS);
  let packed = 0;
  for await (const { records, bytes } of groups) {
    if (turns.shouldYield(bytes - packed)) await turns.next();
    packed = bytes;
    let short: (string | Refusal)[] = [];
    for (const { text } of records) {
      if (typeof text !== "string") short.push({ path: text.path, reason: text.reason });
      else if (!isLongText(text)) short.push(text);
      else {
        texts.push(serialize(short), await mapInSlices(textPieces(text), (piece) => serialize(piece)));
        short = [];
      }
    }
    texts.push(serialize(short));
  }
  return { name, texts };
}

/** The memory of a packed source, which a message moves instead of copying it. */
export function memoryOf(packed: PackedSource): ArrayBuffer[] {
  return "texts" in packed ? packed.texts.flat().map(({ buffer }) => buffer as ArrayBuffer) : [];
}

/** Only the name and size of a file are used: a thread of its own reads it. */
export function unpackSource(packed: PackedSource): RecordSource {
  if ("totalBytes" in packed) {
    const { name, totalBytes } = packed;
    return { ...ndjsonSource(fileBytes(name), name, totalBytes), isNdjsonFile: true };
  }
  const texts = packed.texts.flatMap((one) =>
    Array.isArray(one)
      ? one.map((piece) => deserialize(piece) as string).join("")
      : (deserialize(one as Buffer) as (string | Refusal)[]),
  );
  return textSource(
    texts.map((text) => (typeof text === "string" ? text : new InvalidRecord(text.path, text.reason))),
    packed.name,
  );
}
