import type { LogSource, ReadContext } from "../../../format.ts";
import { SourceFault } from "../../../read/fault.ts";
import type { Head } from "../../../recognise/head.ts";
import { isPrefixObject } from "../../../recognise/json-prefix.ts";
import { csvShape, csvTable } from "./csv-table.ts";
import { experimentTable } from "./experiment-table.ts";
import { linesTable, listTable, nestedTable, splitTable, textsTable } from "./json-table.ts";
import { holdsRecords } from "./object-table.ts";
import { reportOf, reportTable } from "./report-table.ts";
import type { TableReader } from "./table-reader.ts";
import { ArrowFault } from "../../../../arrow/arrow-fault.ts";
import { checkBuffers } from "../../../../arrow/decode/check-buffers.ts";
import { jsonReader, nameOf } from "../../../../arrow/decode/json-texts.ts";
import { readBatches, type IpcBatch } from "../../../../arrow/ipc/batches.ts";
import { readParts } from "../../../../arrow/ipc/messages.ts";
import { UnwritableJson } from "../../../../model/json.ts";
import type { SourceFile } from "../../../read/source-file.ts";

interface TableFormat {
  readonly fits: (head: Head) => boolean;
  readonly open: (source: LogSource, context: ReadContext) => TableReader | Promise<TableReader>;
}

const begins = ({ bytes }: Head, mark: string) => bytes.subarray(0, mark.length).toString("latin1") === mark;

/** Call records and dataset rows are loaded by `ingest`. */
function isOwnRecord(value: unknown): boolean {
  return (
    isPrefixObject(value as never) &&
    "project_id" in Object(value) &&
    ("op_name" in Object(value) || "val" in Object(value))
  );
}

const TABLE_FORMATS: readonly TableFormat[] = [
  {
    fits: ({ json }) => reportOf(json) !== null,
    open: ({ file, head }) => {
      const report = reportOf(head.json);
      if (report === null) throw new SourceFault("unrecognised", null, "is no report that is known");
      return reportTable(file, report);
    },
  },
  {
    fits: (head) => begins(head, "PAR1"),
    open: ({ file }, { readParquet }) => textsTable(() => readParquet(file)),
  },
  {
    fits: (head) => begins(head, "ARROW1") || begins(head, "\u{ff}\u{ff}\u{ff}\u{ff}"),
    open: ({ file }) => textsTable(() => arrowTexts(file)),
  },
  {
    fits: ({ json }) => Array.isArray(json) && isPrefixObject(json[0]) && !isOwnRecord(json[0]),
    open: ({ file }) => listTable(file),
  },
  {
    fits: ({ json }) => Array.isArray(json) && isNames(json[0]),
    open: ({ file }) => nestedTable(file),
  },
  {
    fits: isObjectTable,
    open: () => {
      throw new SourceFault("ambiguous_mapping", null, "holds records in a list");
    },
  },
  {
    fits: ({ firstLine }) =>
      isPrefixObject(firstLine) && !isSplit(firstLine) && !isExperiment(firstLine) && !isOwnRecord(firstLine),
    open: ({ file }) => linesTable(file),
  },
  { fits: ({ json }) => isExperiment(json), open: ({ file }) => experimentTable(file) },
  { fits: ({ json }) => isSplit(json), open: ({ file }) => splitTable(file) },
  {
    fits: (head) => head.json === undefined && shapeOf(head) !== null,
    open: ({ file, head }) => {
      const shape = shapeOf(head);
      if (shape === null) throw new SourceFault("unrecognised", null, "is no CSV file");
      return csvTable(file, shape);
    },
  },
];

function isNames(first: unknown): boolean {
  return Array.isArray(first) && first.length > 1 && first.every((name) => typeof name === "string");
}

/** Whether a file is one object whose records are in a list of it. */
export function isObjectTable({ json, firstLine, text }: Head): boolean {
  if (!isPrefixObject(json) || isSplit(json) || isExperiment(json) || reportOf(json) !== null) return false;
  const isLines = firstLine !== undefined && text.trimStart().trimEnd().includes("\n");
  return !isLines && holdsRecords(json);
}

function isSplit(json: unknown): boolean {
  const value = json as { readonly columns?: unknown; readonly data?: unknown } | null | undefined;
  return (
    typeof value === "object" && value !== null && Array.isArray(value.columns) && Array.isArray(value.data)
  );
}

function isExperiment(json: Head["json"]): boolean {
  return isPrefixObject(json) && Array.isArray(json["task_runs"]) && "evaluation_runs" in json;
}

function shapeOf(head: Head) {
  return head.zip === null ? csvShape(head.text, head.size <= head.bytes.length) : null;
}

export function isTable(head: Head): boolean {
  return TABLE_FORMATS.some(({ fits }) => fits(head));
}

export async function openTable(source: LogSource, context: ReadContext): Promise<TableReader> {
  const format = TABLE_FORMATS.find(({ fits }) => fits(source.head));
  if (format === undefined)
    throw new SourceFault("unrecognised", null, "is no CSV, TSV, NDJSON, JSON, Parquet or Arrow table");
  return await format.open(source, context);
}

/** The records of an Arrow IPC file or stream as JSON texts. */
async function* arrowTexts(file: SourceFile): AsyncGenerator<string> {
  const bytes = {
    size: file.size,
    // Readers of Arrow want numbers at addresses that are multiples of 8; a new array begins at one.
    read: async (offset: number, length: number) => new Uint8Array(await file.read(offset, length)),
  };
  try {
    for await (const batch of readBatches(readParts(bytes))) yield* batchTexts(batch);
  } catch (error) {
    if (!(error instanceof ArrowFault || error instanceof UnwritableJson)) throw error;
    throw new SourceFault("invalid", null, `cannot be read as Arrow: ${error.message}`, { cause: error });
  }
}

function* batchTexts({ fields, columns, length }: IpcBatch): Generator<string> {
  if (length === 0) return;
  const readers = fields.map((field, i) => {
    const data = columns[i];
    if (data === undefined || data.length < length)
      throw new ArrowFault(`column ${nameOf(field)}: has fewer values than there are records`);
    checkBuffers(data, nameOf(field));
    return { label: JSON.stringify(nameOf(field).toWellFormed()), read: jsonReader(data, field) };
  });
  for (let i = 0; i < length; i++)
    yield `{${readers.map(({ label, read }) => `${label}:${textOrNull(read, i)}`).join(",")}}`;
}

/** NaN and infinities are no values. */
function textOrNull(read: (i: number) => string, i: number): string {
  try {
    return read(i);
  } catch (error) {
    if (error instanceof UnwritableJson && /NaN|Infinity/.test(error.message)) return "null";
    throw error;
  }
}
