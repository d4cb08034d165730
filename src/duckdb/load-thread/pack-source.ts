import { deserialize, serialize } from "node:v8";
import { fileBytes, textSource, type RecordSource } from "../../ingest/formats/record-source.ts";
import { ndjsonSource } from "../../ingest/formats/ndjson.ts";
import { InvalidRecord } from "../../ingest/record/invalid-record.ts";
import type { InputPath } from "../../errors.ts";
import { nextTurn } from "../../model/turns.ts";

/** A source as plain data: an NDJSON file, or the texts of records, some of them in each buffer. */
export type PackedSource =
  | { readonly name: string; readonly totalBytes: number | null }
  | { readonly name: string; readonly texts: readonly Uint8Array[] };

/** Why a record has no text. */
interface Refusal {
  readonly path: InputPath;
  readonly reason: string;
}

/** So many characters are packed at once. */
const TURN_CHARACTERS = 1024 * 1024;

/** Reads the texts of a source that is no file. A message copies its strings at once, which would keep others waiting. */
export async function packSource({
  name,
  totalBytes,
  isNdjsonFile,
  groups,
}: RecordSource): Promise<PackedSource> {
  if (isNdjsonFile === true) return { name, totalBytes };
  const texts: Uint8Array[] = [];
  let packed = 0;
  for await (const { records, bytes } of groups) {
    if (bytes - packed > TURN_CHARACTERS) {
      await nextTurn();
      packed = bytes;
    }
    texts.push(serialize(Array.from(records, ({ text }) => packText(text))));
  }
  return { name, texts };
}

function packText(text: string | InvalidRecord): string | Refusal {
  return typeof text === "string" ? text : { path: text.path, reason: text.reason };
}

/** Of a file, only the name and size are used: it is read in a thread of its own. */
export function unpackSource(packed: PackedSource): RecordSource {
  if ("totalBytes" in packed) {
    const { name, totalBytes } = packed;
    return { ...ndjsonSource(fileBytes(name), name, totalBytes), isNdjsonFile: true };
  }
  const texts = packed.texts.flatMap((buffer) => deserialize(buffer) as (string | Refusal)[]);
  return textSource(
    texts.map((text) => (typeof text === "string" ? text : new InvalidRecord(text.path, text.reason))),
    packed.name,
  );
}
