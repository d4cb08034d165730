import { memberTexts } from "../../../model/member-texts.ts";
import { compactJson, writeJson, type Json, type JsonObject } from "../../../model/json.ts";
import type { LogSource } from "../../format.ts";
import { SourceFault } from "../../read/fault.ts";
import { parseLine, textLines } from "../../read/json-lines.ts";
import { jsonPieces, parsePiece } from "../../read/json-pieces.ts";
import { expectObject } from "../../read/members.ts";
import { withoutNoNumbers } from "../../read/no-numbers.ts";
import type { Head } from "../../recognise/head.ts";
import { hasMembers, isPrefixObject, type Prefix } from "../../recognise/json-prefix.ts";

/** A record of an export, and its text without blanks: one record has one text, however the export is laid out. */
export interface ExportedRecord {
  readonly kind: "call" | "row";
  readonly record: JsonObject;
  readonly text: string;
}

const CUT = {
  elements: {},
  members: { calls: { elements: {} }, rows: { elements: {} } },
  others: "skip",
} as const;

/** Whether a file is one document with a list of records, and not one record a line. */
function isDocument({ json }: Head): boolean {
  return Array.isArray(json) || (isPrefixObject(json) && listIn(json) !== null);
}

function listIn(json: { readonly [name: string]: Prefix }): readonly Prefix[] | null {
  for (const list of [json["calls"], json["rows"]]) if (Array.isArray(list)) return list as readonly Prefix[];
  return null;
}

export function isExport({ firstLine, json }: Head): boolean {
  const list = Array.isArray(json) ? (json as readonly Prefix[]) : isPrefixObject(json) ? listIn(json) : null;
  const first = list === null ? (firstLine ?? json) : list[0];
  return isCall(first) || isRow(first);
}

const isCall = (record: Prefix | undefined) =>
  hasMembers(record, "op_name", "trace_id", "started_at", "project_id");
const isRow = (record: Prefix | undefined) => hasMembers(record, "digest", "val");

/** The texts of the records of an export, with their places; a line that is none comes as its fault. */
export async function* exportedTexts({ file, head }: LogSource): AsyncGenerator<PlacedText> {
  if (isDocument(head)) {
    for await (const piece of jsonPieces(file.bytes(), CUT))
      if (piece.place !== "") {
        const raw = piece.hasNoNumbers ? null : piece.text.toString("utf8");
        yield { place: piece.place, read: () => recordOf(parsePiece(piece), raw, piece.place) };
      }
    return;
  }
  for await (const line of textLines(file.bytes())) {
    const place = `line ${line.line}`;
    const raw = line.bytes.toString("utf8").replace(/^\uFEFF/, "");
    yield { place, read: () => recordOf(parseLine(line), isPlain(raw) ? raw : null, place) };
  }
}

interface PlacedText {
  readonly place: string;
  /** Throws {@link SourceFault}. */
  readonly read: () => ExportedRecord;
}

/** Whether a text is JSON without bare NaN and infinities. */
function isPlain(text: string): boolean {
  if (!/NaN|Infinity/.test(text)) return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function recordOf(value: Json, raw: string | null, place: string): ExportedRecord {
  const record = expectObject(withoutNoNumbers(value), place);
  const isRowOnly = "digest" in record && "val" in record && !("op_name" in record);
  const text = raw === null ? writeJson(record) : compactJson(raw);
  if (isRowOnly || "id" in record) return { kind: isRowOnly ? "row" : "call", record, text };
  throw new SourceFault("invalid", place, "is neither a call nor a dataset row");
}

/** A dataset row with its project; its value as it was written. */
export function rowText(text: string, project: string): string {
  const members = memberTexts(text);
  const parts = ["digest", "val"].map((name) => `${JSON.stringify(name)}:${members.get(name) ?? "null"}`);
  return `{"project_id":${JSON.stringify(project)},${parts.join(",")}}`;
}
