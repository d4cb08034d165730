import { SourceFault, withPlace } from "../../read/fault.ts";
import type { JsonCut, JsonPiece } from "../../read/json-cut.ts";
import { parsePlain, readDocument } from "../../read/json-pieces.ts";
import type { SourceFile } from "../../read/source-file.ts";
import { entryBytes, type ZipEntry } from "../../read/zip-entry.ts";
import type { LogSource } from "../../format.ts";
import { readRun, type InspectLog } from "./run.ts";
import { SAMPLE_CUT } from "./sample.ts";

/** A sample is one entry, or a folder of them of which the first holds what is kept. */
const SAMPLE = /^samples\/.*_epoch_\d+(\.json|\/sample\.json)$/s;

const UNFINISHED = "the run did not end: the log has no header, only its journal and samples";

/** Opens a log that is a zip file. */
export async function openZipLog({ file, head }: LogSource): Promise<InspectLog> {
  const entries = head.zip ?? new Map<string, ZipEntry>();
  const header = entries.get("header.json") ?? entries.get("_journal/start.json");
  if (header === undefined) throw new SourceFault("invalid", null, "has neither a header nor a journal");
  const run = readRun(parsePlain(await readEntry(file, header, {})), header.name);
  return {
    run,
    notes: header.name === "header.json" ? [] : [UNFINISHED],
    samples: readSamples(file, entries),
  };
}

async function* readSamples(
  file: SourceFile,
  entries: ReadonlyMap<string, ZipEntry>,
): AsyncGenerator<JsonPiece | SourceFault> {
  for (const entry of entries.values()) {
    if (!SAMPLE.test(entry.name)) continue;
    try {
      const piece = await readEntry(file, entry, SAMPLE_CUT);
      yield entry.name.endsWith("/sample.json") ? await withMetadata(file, entries, piece) : piece;
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error;
      yield error;
    }
  }
}

/** The metadata of a sample in several entries stands in an entry of its own. */
async function withMetadata(
  file: SourceFile,
  entries: ReadonlyMap<string, ZipEntry>,
  piece: JsonPiece,
): Promise<JsonPiece> {
  const entry = entries.get(piece.place.replace(/sample\.json$/, "metadata.json"));
  const end = piece.text.lastIndexOf("}");
  if (entry === undefined || end < 0) return piece;
  const metadata = await readEntry(file, entry, {});
  const text = Buffer.concat([
    piece.text.subarray(0, end),
    Buffer.from(',"metadata":'),
    metadata.text,
    Buffer.from("}"),
  ]);
  return { ...piece, text, hasNoNumbers: piece.hasNoNumbers || metadata.hasNoNumbers };
}

async function readEntry(file: SourceFile, entry: ZipEntry, cut: JsonCut): Promise<JsonPiece> {
  try {
    const { text, hasNoNumbers } = await readDocument(entryBytes(file, entry), cut);
    return { place: entry.name, text, hasNoNumbers };
  } catch (error) {
    throw withPlace(entry.name, error);
  }
}
