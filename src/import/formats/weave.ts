import type { Format, LogSource, ReadContext } from "../format.ts";
import { orRefused, SourceFault } from "../read/fault.ts";
import { parseLine, textLines } from "../read/json-lines.ts";
import { jsonPieces, parsePiece } from "../read/json-pieces.ts";
import { expectObject, objectAt, textAt } from "../read/members.ts";
import { withoutNoNumbers } from "../read/no-numbers.ts";
import type { Head } from "../recognise/head.ts";
import { hasMembers, isPrefixObject, type Prefix } from "../recognise/json-prefix.ts";
import { hashOf } from "../translate/ids.ts";
import type { ImportedEvaluation } from "../translate/import-result.ts";
import type { LogItem } from "../translate/log-parts.ts";
import { readTime } from "../translate/times.ts";
import { DEFAULT_CONVENTIONS } from "../../model/conventions.ts";
import { compactJson, isJsonObject, type Json, type JsonObject, writeJson } from "../../model/json.ts";
import { memberTexts } from "../../model/member-texts.ts";
import { operationName, parseReference } from "../../model/references.ts";
import { formatTimestamp } from "../../model/timestamp.ts";

/** A record of an export, and its text without blanks: one record has one text, however the export is laid out. */
interface ExportedRecord {
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

function isExport({ firstLine, json }: Head): boolean {
  const list = Array.isArray(json) ? (json as readonly Prefix[]) : isPrefixObject(json) ? listIn(json) : null;
  const first = list === null ? (firstLine ?? json) : list[0];
  return isCall(first) || isRow(first);
}

const isCall = (record: Prefix | undefined) =>
  hasMembers(record, "op_name", "trace_id", "started_at", "project_id");
const isRow = (record: Prefix | undefined) => hasMembers(record, "digest", "val");

/** The texts of the records of an export, with their places; a line that is none comes as its fault. */
async function* exportedTexts({ file, head }: LogSource): AsyncGenerator<PlacedText> {
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
function rowText(text: string, project: string): string {
  const members = memberTexts(text);
  const parts = ["digest", "val"].map((name) => `${JSON.stringify(name)}:${members.get(name) ?? "null"}`);
  return `{"project_id":${JSON.stringify(project)},${parts.join(",")}}`;
}

const EVALUATE_OP = "Evaluation.evaluate";
const ROW_CHARACTERS = 12;

interface Counted {
  trials: number;
  errors: number;
  readonly rows: Set<string>;
  readonly scorers: Set<string>;
}

/** Counts what calls hold. Calls come in any order: a trial may precede its evaluation. */
class CallOverview {
  readonly #roots = new Map<string, JsonObject>();
  readonly #counts = new Map<string, Counted>();

  add(call: JsonObject): void {
    const name = operationName(textAt(call, "op_name") ?? "");
    const id = textAt(call, "id") ?? "";
    if (name === EVALUATE_OP) this.#roots.set(id, rootParts(call));
    else if (DEFAULT_CONVENTIONS.predictAndScoreOps.includes(name)) this.#addTrial(call);
  }

  #addTrial(call: JsonObject): void {
    const of = textAt(call, "parent_id") ?? "";
    const counted = this.#counts.get(of) ?? { trials: 0, errors: 0, rows: new Set(), scorers: new Set() };
    this.#counts.set(of, counted);
    counted.trials++;
    if (isError(call)) counted.errors++;
    counted.rows.add(hashOf(objectAt(call, "inputs")["example"] ?? null).slice(0, ROW_CHARACTERS));
    for (const key of Object.keys(objectAt(call["output"], "scores"))) counted.scorers.add(key);
  }

  evaluations(): ImportedEvaluation[] {
    return Array.from(this.#roots, ([id, { self = null, model = null, started = null, name = null }]) => {
      const counted = this.#counts.get(id);
      const time = readTime(started);
      return {
        evaluation_call_id: id,
        name: typeof name === "string" ? name : id,
        task: nameOf(self),
        model: nameOf(model),
        label: null,
        started_at: time === null ? null : formatTimestamp(time),
        rows: counted?.rows.size ?? 0,
        trials: counted?.trials ?? 0,
        errors: counted?.errors ?? 0,
        scorers: [...(counted?.scorers ?? [])],
      };
    });
  }

  /** Trials whose evaluation is not among the calls. */
  strayTrials(): number {
    return Array.from(this.#counts)
      .filter(([id]) => !this.#roots.has(id))
      .reduce((sum, [, { trials }]) => sum + trials, 0);
  }
}

function rootParts(call: JsonObject): JsonObject {
  const { self = null, model = null } = objectAt(call, "inputs");
  return { self, model, started: call["started_at"] ?? null, name: call["display_name"] ?? null };
}

/** The SDKs do not fail a trial whose model fails: it has no output and no scores. */
function isError(call: JsonObject): boolean {
  if (textAt(call, "exception") !== null) return true;
  const { output } = call;
  if (!isJsonObject(output)) return false;
  if (typeof output["model_success"] === "boolean") return !output["model_success"];
  return output["output"] === null && Object.keys(objectAt(output, "scores")).length === 0;
}

/** The name in a reference; any other text as it is. */
function nameOf(value: Json): string {
  if (isJsonObject(value)) return textAt(value, "name") ?? "unknown";
  if (typeof value !== "string" || value === "") return "unknown";
  return parseReference(value)?.name ?? value;
}

/**
 * Exports of W&B Weave: calls and dataset rows, as the trace server answers them. Calls are kept as they were written,
 * digit by digit but without blanks; what the evaluations hold is counted beside them, for the result only.
 */
export const weave: Format = {
  name: "weave",
  statesNoFigures: () => true,
  keepsProjects: true,
  recognises: isExport,
  read: readExport,
};

async function* readExport(source: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  const overview = new CallOverview();
  let calls = 0;
  for await (const { place, read } of exportedTexts(source)) {
    const exported = orRefused(() => checkedRecord(read(), context), place, context.refuse);
    if (exported === null) continue;
    if (exported.kind === "call") overview.add(exported.record);
    if (exported.kind === "call") calls++;
    yield { ...exported, place };
  }
  const evaluations = overview.evaluations();
  for (const evaluation of evaluations) yield { kind: "overview", evaluation };
  const stray = overview.strayTrials();
  if (stray > 0)
    yield { kind: "note", text: `${stray} trials belong to evaluations that are not in the file` };
  if (calls > 0 && evaluations.length === 0) yield { kind: "note", text: "no evaluation is among the calls" };
}

function checkedRecord(exported: ExportedRecord, context: ReadContext): ExportedRecord {
  const own = ownRecord(exported, context);
  context.checkRecord(own.text, own.kind);
  return own;
}

/** The record in its own project, which must be the one that the caller names; a row without one gets it. */
function ownRecord(exported: ExportedRecord, { project }: ReadContext): ExportedRecord {
  const own = textAt(exported.record, "project_id");
  if (own !== null && project !== null && own !== project)
    throw new SourceFault(
      "invalid",
      "project_id",
      `is ${own} and not ${project}: leave the project out, or name that one`,
    );
  if (exported.kind === "call" || own !== null) return exported;
  if (project === null)
    throw new SourceFault("invalid", null, "a dataset row does not say its project; name it (--project)");
  return { ...exported, text: rowText(exported.text, project) };
}
