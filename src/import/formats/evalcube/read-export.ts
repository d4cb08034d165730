import type { LogSource, ReadContext } from "../../format.ts";
import { arrowTexts } from "../../read/arrow-file.ts";
import { orRefused, SourceFault } from "../../read/fault.ts";
import { parseLine, parseRecord, textLines } from "../../read/json-lines.ts";
import { withoutNoNumbers } from "../../read/no-numbers.ts";
import type { Head } from "../../recognise/head.ts";
import { isPrefixObject, type Prefix } from "../../recognise/json-prefix.ts";
import { csvShape, quotedCells, type BareCell, type CsvShape } from "../table/readers/csv-table.ts";
import { elementsOf } from "../table/readers/json-table.ts";
import { isJsonObject, parseJson, type Json, type JsonObject } from "../../../model/json.ts";

/** Columns that only an export has all of. */
const MARKS = ["row_digest", "evaluation_call_id", "trial_index"];

/** A record of an export: its cells by the names of their columns. */
export interface ExportRecord {
  readonly place: string;
  readonly cells: JsonObject;
}

/** Whether a file has the columns of an export, in any of its formats. */
export function isExport(head: Head): boolean {
  const names = new Set(columnNames(head));
  return MARKS.every((name) => names.has(name));
}

function columnNames(head: Head): Iterable<string> {
  const { json, firstLine, columns } = head;
  if (columns.size > 0) return columns.keys();
  const first = Array.isArray(json) ? (json[0] as Prefix | undefined) : (firstLine ?? json);
  if (first !== undefined) return isPrefixObject(first) ? Object.keys(first) : [];
  return shapeOf(head)?.header ?? [];
}

/** The shape of a CSV file, whose texts may hold what those of other tables may not. */
function shapeOf({ text, size, bytes }: Head): CsvShape | null {
  if (!MARKS.every((name) => text.includes(name))) return null;
  return csvShape(text.replaceAll("\0", " "), size <= bytes.length);
}

/** Reads the records of an export. Throws {@link SourceFault}; a record that cannot be read is refused by itself. */
export async function* exportRecords(source: LogSource, context: ReadContext): AsyncGenerator<ExportRecord> {
  for await (const { place, read } of placedRecords(source, context)) {
    const cells = orRefused(() => withoutNoNumbers(read()), place, context.refuse);
    if (isJsonObject(cells)) yield { place, cells };
    else if (cells !== null) context.refuse(new SourceFault("invalid", place, "is not an object"));
  }
}

interface PlacedRecord {
  readonly place: string;
  readonly read: () => Json;
}

async function* placedRecords({ file, head }: LogSource, context: ReadContext): AsyncGenerator<PlacedRecord> {
  if (head.columns.size > 0) {
    const isParquet = head.bytes.subarray(0, 4).toString("latin1") === "PAR1";
    let record = 0;
    for await (const text of isParquet ? context.readParquet(file) : arrowTexts(file)) {
      const place = `record ${++record}`;
      yield { place, read: () => parseRecord(text, place) };
    }
  } else if (Array.isArray(head.json)) {
    for await (const { place, value } of elementsOf(file)) yield { place, read: () => value };
  } else if (head.json !== undefined || head.firstLine !== undefined) {
    for await (const line of textLines(file.bytes()))
      yield { place: `line ${line.line}`, read: () => parseLine(line) };
  } else yield* csvRecords({ file, head });
}

async function* csvRecords({ file, head }: Pick<LogSource, "file" | "head">): AsyncGenerator<PlacedRecord> {
  const shape = shapeOf(head);
  if (shape === null) throw new SourceFault("unrecognised", null, "is no export of evalcube");
  let header: readonly string[] | null = null;
  let record = 0;
  for await (const cells of quotedCells(file, shape)) {
    if (header === null) header = cells.map(cellText);
    else if (cells.length > 1 || cellText(cells[0] ?? "") !== "") yield csvRecord(header, cells, ++record);
  }
}

const cellText = (cell: string | BareCell) => (typeof cell === "string" ? cell : cell.bare);

function csvRecord(
  header: readonly string[],
  cells: readonly (string | BareCell)[],
  record: number,
): PlacedRecord {
  const place = `record ${record}`;
  const read = () => {
    if (cells.length !== header.length)
      throw new SourceFault("invalid", place, `has ${cells.length} cells, the header has ${header.length}`);
    return Object.fromEntries(header.map((name, i) => [name, cellValue(name, cells[i] ?? "")]));
  };
  return { place, read };
}

/**
 * Each text is quoted; what is not is nothing, true, false or a number. Other programs leave out quotes that CSV does
 * not need.
 */
function cellValue(name: string, cell: string | BareCell): Json {
  if (typeof cell === "string") return cell;
  const text = cell.bare;
  if (text === "") return null;
  if (!name.startsWith("scores.")) return text;
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
  return NUMBER.test(text) ? parseJson(text) : text;
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/;
