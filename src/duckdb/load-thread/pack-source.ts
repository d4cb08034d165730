import { fileBytes, textSource, type RecordSource } from "../../ingest/formats/record-source.ts";
import { ndjsonSource } from "../../ingest/formats/ndjson.ts";
import { InvalidRecord } from "../../ingest/record/invalid-record.ts";
import type { InputPath } from "../../errors.ts";

/** A source as plain data: an NDJSON file, or the texts of a few records. */
export type PackedSource =
  | { readonly name: string; readonly totalBytes: number | null }
  | { readonly name: string; readonly texts: readonly (string | Refusal)[] };

/** Why a record has no text. */
interface Refusal {
  readonly path: InputPath;
  readonly reason: string;
}

/** Reads the texts of a source that is no file. */
export async function packSource({
  name,
  totalBytes,
  isNdjsonFile,
  groups,
}: RecordSource): Promise<PackedSource> {
  if (isNdjsonFile === true) return { name, totalBytes };
  const texts: (string | Refusal)[] = [];
  for await (const { records } of groups)
    for (const { text } of records)
      texts.push(typeof text === "string" ? text : { path: text.path, reason: text.reason });
  return { name, texts };
}

/** Of a file, only the name and size are used: it is read in a thread of its own. */
export function unpackSource(packed: PackedSource): RecordSource {
  if ("totalBytes" in packed) {
    const { name, totalBytes } = packed;
    return { ...ndjsonSource(fileBytes(name), name, totalBytes), isNdjsonFile: true };
  }
  const texts = packed.texts.map((text) =>
    typeof text === "string" ? text : new InvalidRecord(text.path, text.reason),
  );
  return textSource(texts, packed.name);
}
