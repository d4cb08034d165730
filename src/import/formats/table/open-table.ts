import { isStateName, saysSkipped } from "./cell-words.ts";
import { plainName } from "./guess-names.ts";
import type { LogSource, ReadContext } from "../../format.ts";
import { arrowTexts, beginsArrow } from "../../read/arrow-file.ts";
import { SourceFault } from "../../read/fault.ts";
import type { Head } from "../../recognise/head.ts";
import { hasMembers, isPrefixObject, type Prefix } from "../../recognise/json-prefix.ts";
import { csvShape, csvTable } from "./readers/csv-table.ts";
import { experimentTable, reportOf, reportTable } from "./readers/report-table.ts";
import { holdsRecords } from "./record-places.ts";
import { linesTable, listTable, nestedTable, splitTable, textsTable } from "./readers/json-table.ts";
import { withoutHeaders, type TableReader } from "./readers/table-reader.ts";

type Open = (source: LogSource, context: ReadContext) => TableReader | Promise<TableReader>;

const begins = ({ bytes }: Head, mark: string) => bytes.subarray(0, mark.length).toString("latin1") === mark;

/** What opens a file as a table; null where it is none, or an object with its records in a list. */
function openerOf(head: Head): Open | null {
  const { json, firstLine } = head;
  const report = reportOf(json);
  if (report !== null) return ({ file }) => reportTable(file, report);
  if (begins(head, "PAR1") && head.tail.subarray(-4).toString("latin1") !== "PAR1") return cutParquet;
  if (begins(head, "PAR1")) return ({ file }, { readParquet }) => textsTable(() => readParquet(file));
  if (beginsArrow(head.bytes)) return ({ file }) => textsTable(() => arrowTexts(file));
  if (isObjectTable(head)) return null;
  if (Array.isArray(json)) {
    const first = json[0] as Prefix | undefined;
    if (isPrefixObject(first)) return isOwnRecord(first) ? null : ({ file }) => listTable(file);
    return isNames(first) ? ({ file }) => nestedTable(file) : null;
  }
  if (
    isPrefixObject(firstLine) &&
    !isSplit(firstLine) &&
    !isExperiment(firstLine) &&
    isRecord(firstLine, head)
  )
    return isOwnRecord(firstLine) ? null : ({ file }) => linesTable(file);
  if (isExperiment(json)) return ({ file }) => experimentTable(file);
  if (isSplit(json)) return ({ file }) => splitTable(file);
  // A first line that is longer than what is looked at.
  if (isPrefixObject(json) && head.size > head.bytes.length && !head.text.trimStart().includes("\n"))
    return ({ file }) => linesTable(file);
  if (json !== undefined || head.zip !== null) return null;
  const shape = csvShape(head.text, head.size <= head.bytes.length);
  return shape === null ? null : ({ file }) => csvTable(file, head, shape);
}

function cutParquet(): never {
  throw new SourceFault("truncated", null, "ends in the middle of Parquet; the file is truncated");
}

/** Whether a line may be a record: it is one of several, or more than lists and objects by their names. */
function isRecord(line: { readonly [name: string]: Prefix }, { text }: Head): boolean {
  const values = Object.values(line);
  const isNested = values.every((value) => typeof value === "object" && value !== null);
  return values.length > 0 && (!isNested || text.trim().includes("\n"));
}

/** Call records and dataset rows are loaded by `ingest`. */
function isOwnRecord(record: Prefix): boolean {
  return hasMembers(record, "project_id", "op_name") || hasMembers(record, "project_id", "val");
}

function isNames(first: unknown): boolean {
  return Array.isArray(first) && first.length > 1 && first.every((name) => typeof name === "string");
}

/** Whether the records of a file are in lists or objects inside of it. */
export function isObjectTable({ json, firstLine, text }: Head): boolean {
  if (Array.isArray(json)) return !isOwnRecord((json[0] as Prefix | undefined) ?? null) && holdsRecords(json);
  if (!isPrefixObject(json) || isSplit(json) || isExperiment(json) || reportOf(json) !== null) return false;
  const isLines = firstLine !== undefined && text.trimStart().trimEnd().includes("\n");
  return !isLines && holdsRecords(json);
}

function isSplit(json: Head["json"]): boolean {
  return isPrefixObject(json) && Array.isArray(json["columns"]) && Array.isArray(json["data"]);
}

function isExperiment(json: Head["json"]): boolean {
  return isPrefixObject(json) && Array.isArray(json["task_runs"]) && "evaluation_runs" in json;
}

export function isTable(head: Head): boolean {
  return isObjectTable(head) || openerOf(head) !== null;
}

export async function openTable(source: LogSource, context: ReadContext): Promise<TableReader> {
  const open = openerOf(source.head);
  if (open === null)
    throw new SourceFault("unrecognised", null, "is no CSV, TSV, NDJSON, JSON, Parquet or Arrow table");
  return withoutOthers(await open(source, context));
}

/** A table without records that are no trials. */
export function withoutOthers(reader: TableReader): TableReader {
  return withoutHeaders(reader, { isState: (column) => isStateName(plainName(column)), saysSkipped });
}
