import { noSamples, orRefused, SourceFault, withPlace } from "../../read/fault.ts";
import type { JsonCut, JsonPiece } from "../../read/json-cut.ts";
import { numberAt } from "../../read/members.ts";
import type { Head } from "../../recognise/head.ts";
import { hasMembers, isPrefixObject } from "../../recognise/json-prefix.ts";
import { firstLine } from "../../translate/clean.ts";
import type { LogItem } from "../../translate/log-parts.ts";
import type { Format, LogSource, ReadContext } from "../../format.ts";
import { statedFigures } from "./figures.ts";
import { readRun, type InspectLog, type InspectRun } from "./run.ts";
import { LEFT_OUT_NOTE, readSample, SAMPLE_CUT } from "./sample.ts";
import { jsonPieces, parsePlain, readDocument } from "../../read/json-pieces.ts";
import type { SourceFile } from "../../read/source-file.ts";
import { entryBytes, type ZipEntry } from "../../read/zip-entry.ts";

const VERSIONS = 3;

/** Logs of Inspect AI: `.eval` and `.json`. */
export const inspect: Format = {
  name: "inspect",
  recognises: (head) => isZipLog(head) || isJsonLog(head),
  read: readInspect,
};

function isZipLog({ zip }: Head): boolean {
  return zip !== null && (zip.has("header.json") || zip.has("_journal/start.json"));
}

function isJsonLog({ json }: Head): boolean {
  if (!isPrefixObject(json) || !Number.isInteger(json["version"]) || typeof json["status"] !== "string")
    return false;
  return hasMembers(json["eval"], "task", "model");
}

async function* readInspect(source: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  const log = source.head.zip === null ? await openJsonLog(source) : await openZipLog(source);
  const { run } = log;
  for (const text of [...log.notes, ...runNotes(run)]) yield { kind: "note", text };
  const counts = { trials: 0, errors: 0 };
  for await (const sample of log.samples) {
    const place = sample instanceof SourceFault ? (sample.place ?? "") : sample.place;
    const trial = orRefused(() => readSample(sample, run), place, context.refuse);
    if (trial === null) continue;
    counts.trials++;
    if (trial.error != null) counts.errors++;
    yield { kind: "trial", trial };
  }
  if (counts.trials + context.refused() === 0) throw noSamples(whyEmpty(run));
  yield { kind: "note", text: LEFT_OUT_NOTE };
  yield* statedFigures(run, context.book, { ...counts, rejected: context.refused() });
}

/** Why a log holds no samples. */
function whyEmpty({ status, results, evaluation }: InspectRun): string {
  const counted = numberAt(results, "completed_samples") ?? 0;
  if (counted > 0 || status === "success" || status === null)
    return "holds no samples, only what they add up to; there is nothing to import";
  if (status === "cancelled") return "the run was cancelled before a sample ended";
  if (status === "started") return "the run had started and no sample had ended when the log was written";
  return `the run failed before a sample ended: ${firstLine(evaluation.error ?? "error")}`;
}

function runNotes({ status, evaluation, lacksZone }: InspectRun): string[] {
  const notes: string[] = [];
  if (status === "cancelled") notes.push("the run was cancelled");
  if (status === "started") notes.push("the run had not ended when the log was written");
  if (lacksZone) notes.push("a time without zone counts as UTC");
  if (typeof evaluation.logVersion === "number" && evaluation.logVersion > VERSIONS)
    notes.push(`version ${evaluation.logVersion} of the log is newer than those that are known`);
  return notes;
}

const HEADER_CUT: JsonCut = {
  members: { samples: "skip", reductions: "skip", logging: "skip" },
};

const LOG_CUT: JsonCut = { members: { samples: { elements: SAMPLE_CUT } }, others: "skip" };

/** Opens a log of one JSON object. It is read twice: what belongs to the run may stand behind the samples. */
async function openJsonLog({ file }: LogSource): Promise<InspectLog> {
  const header = await readDocument(file.bytes(), HEADER_CUT);
  async function* samples() {
    for await (const piece of jsonPieces(file.bytes(), LOG_CUT)) if (piece.place !== "") yield piece;
  }
  return { run: readRun(parsePlain(header), null), notes: [], samples: samples() };
}

/** A sample is one entry, or a folder of them of which the first holds what is kept. */
const SAMPLE = /^samples\/.*_epoch_\d+(\.json|\/sample\.json)$/s;

const UNFINISHED = "the run did not end: the log has no header, only its journal and samples";

/** Opens a log that is a zip file. */
async function openZipLog({ file, head }: LogSource): Promise<InspectLog> {
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
