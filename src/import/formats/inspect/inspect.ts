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
  const counts = { trials: 0, errors: 0, invalid: 0 };
  for await (const sample of log.samples) {
    const place = sample instanceof SourceFault ? (sample.place ?? "") : sample.place;
    const trial = orRefused(() => readSample(sample, run), place, context.refuse);
    if (trial === null) continue;
    counts.trials++;
    if (trial.error != null) counts.errors++;
    if (trial.others?.["invalidated"] === true) counts.invalid++;
    yield { kind: "trial", trial };
  }
  if (counts.trials + context.refused() === 0) throw noSamples(whyEmpty(run));
  for (const text of [LEFT_OUT_NOTE, ...invalidNotes(counts.invalid), ...laterNotes(run)])
    yield { kind: "note", text };
  yield* statedFigures(run, context.book, { ...counts, rejected: context.refused() });
}

function invalidNotes(count: number): string[] {
  if (count === 0) return [];
  const samples = count === 1 ? "1 sample is" : `${count} samples are`;
  return [
    `${samples} invalidated and counted, as in the log's figures: a filter on output.invalidated leaves them out`,
  ];
}

function laterNotes({ later }: InspectRun): string[] {
  const names = [...later].sort().join(", ");
  return names === "" ? [] : [`samples have ${names}, which change what counts and are not read`];
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
      yield entry.name.endsWith("/sample.json") ? await withOthers(file, entries, piece) : piece;
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error;
      yield error;
    }
  }
}

/** What of a sample in several entries stands in others: in one, or a list in several that are numbered. */
const APART = ["metadata", "events", "attachments", "events_data"];

async function withOthers(
  file: SourceFile,
  entries: ReadonlyMap<string, ZipEntry>,
  piece: JsonPiece,
): Promise<JsonPiece> {
  const end = piece.text.lastIndexOf("}");
  const folder = piece.place.replace(/sample\.json$/, "");
  const parts: string[] = [];
  let { hasNoNumbers } = piece;
  for (const name of end < 0 ? [] : APART) {
    const single = entries.get(`${folder}${name}.json`);
    const found = single === undefined ? numbered(entries, `${folder}${name}/`) : [single];
    const texts: string[] = [];
    for (const entry of found) {
      const other = await readEntry(file, entry, {});
      texts.push(other.text.toString("utf8").trim());
      hasNoNumbers ||= other.hasNoNumbers;
    }
    const lists = texts.map((text) => text.slice(1, -1)).filter((text) => text.trim() !== "");
    if (texts.length > 0)
      parts.push(`,"${name}":${single === undefined ? `[${lists.join(",")}]` : texts[0]}`);
  }
  if (parts.length === 0) return piece;
  const text = Buffer.concat([piece.text.subarray(0, end), Buffer.from(`${parts.join("")}}`)]);
  return { ...piece, text, hasNoNumbers };
}

/** Entries that are called by numbers, in their order. */
function numbered(entries: ReadonlyMap<string, ZipEntry>, folder: string): ZipEntry[] {
  const numberOf = ({ name }: ZipEntry) => Number(name.slice(folder.length, -".json".length));
  return [...entries.values()]
    .filter(({ name }) => name.startsWith(folder) && /^\d+\.json$/.test(name.slice(folder.length)))
    .toSorted((a, b) => numberOf(a) - numberOf(b));
}

async function readEntry(file: SourceFile, entry: ZipEntry, cut: JsonCut): Promise<JsonPiece> {
  try {
    const { text, hasNoNumbers } = await readDocument(entryBytes(file, entry), cut);
    return { place: entry.name, text, hasNoNumbers };
  } catch (error) {
    throw withPlace(entry.name, error);
  }
}
