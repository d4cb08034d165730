import { isUtf8 } from "node:buffer";
import { finished } from "node:stream/promises";
import { parse } from "csv-parse";
import { parse as parseAtOnce } from "csv-parse/sync";
import { lineBlocks } from "../../../../bytes/lines.ts";
import { SourceFault } from "../../../read/fault.ts";
import { notUtf8, type TextLine, textLines } from "../../../read/json-lines.ts";
import type { SourceFile } from "../../../read/source-file.ts";
import type { Head } from "../../../recognise/head.ts";
import { columnName, type TableReader, type TableRecord } from "./table-reader.ts";

const DELIMITERS = [",", ";", "\t", "|"] as const;
const RECORDS_LOOKED_AT = 100;
const MAX_RECORD_CHARACTERS = 64 * 1024 * 1024;

/** How a text is divided into cells, by its first records. */
export interface CsvShape {
  readonly delimiter: string;
  readonly header: readonly string[];
  /** Lines before the header that are no records. */
  readonly before: number;
}

/**
 * The shape of a CSV text; null where it is none: it has two columns or more, and its records as many cells as its
 * header, or a header of names.
 */
export function csvShape(text: string, isWhole: boolean): CsvShape | null {
  if (text.includes("\0")) return null;
  const whole = isWhole ? text : text.slice(0, text.lastIndexOf("\n") + 1);
  const said = /^"?sep=(.)"?\r?\n/i.exec(whole)?.[1];
  let best: { readonly shape: CsvShape; readonly fitting: number } | null = null;
  for (const delimiter of DELIMITERS.filter((one) => said === undefined || one === said)) {
    const before = linesBefore(whole, delimiter);
    const rest = withoutLines(whole, before);
    const [header, ...records] = firstRecords(rest, delimiter);
    // The first record may be longer than the part that is looked at.
    const isAlone = isWhole && records.length === 0 && !rest.trimEnd().includes("\n");
    if (header === undefined || header.length < 2 || isAlone) continue;
    const fits = records.filter((record) => record.length === header.length).length;
    const fitting = fits / Math.max(1, records.length);
    const isBetter = best === null || fitting * header.length > best.fitting * best.shape.header.length;
    if ((fitting >= 0.8 || areNames(header)) && isBetter)
      best = { shape: { delimiter, header, before }, fitting };
  }
  return best?.shape ?? null;
}

/** Whether all cells are names, as those of a header are: its records may be damaged. */
function areNames(cells: readonly string[]): boolean {
  return new Set(cells).size === cells.length && cells.every((cell) => COLUMN_NAME.test(cell.trim()));
}

const COLUMN_NAME = /^[\p{L}_][\p{L}\p{N}_.@/-]{0,39}$/u;

/** How many lines are comments that begin with `#`, blank, or Excel's `sep=;`. A header may begin with `#` too. */
function linesBefore(text: string, delimiter: string): number {
  const lines = text.split("\n", MOST_BEFORE + 1);
  const end = lines.findIndex((line) => !NO_HEADER.test(line));
  const cells = (at: number) => lines[at]?.split(delimiter) ?? [];
  const next = cells(end);
  const mayBeHeader = end > 0 && lines[end - 1]?.startsWith("#") && cells(end - 1).length === next.length;
  return mayBeHeader && !(areNames(next) && !areNames(cells(end + 1))) ? end - 1 : Math.max(0, end);
}

const NO_HEADER = /^\s*(#|$)|^"?sep=."?\r?$/i;
const MOST_BEFORE = 1000;

/** A text behind its first lines; they may hold anything, such as a single quote. */
function withoutLines(text: string, lines: number): string {
  let at = 0;
  for (let i = 0; i < lines; i++) at = text.indexOf("\n", at) + 1;
  return text.slice(at);
}

/** A quote that stands where it may not is told when the file is read. */
function firstRecords(text: string, delimiter: string): string[][] {
  for (const to of [RECORDS_LOOKED_AT + 1, 2, 1]) {
    try {
      return parseAtOnce(text, {
        delimiter,
        to,
        relax_quotes: true,
        relax_column_count: true,
        skip_empty_lines: true,
      });
    } catch {
      // A quote that does not end within the part that is looked at; fewer records may do.
    }
  }
  return [];
}

type Encoding = "utf-8" | "windows-1252";

/** How the bytes of a file are letters, and what is to be said of it. */
interface Letters {
  readonly encoding: Encoding;
  readonly notes: readonly string[];
}

/** Bytes that are no letters in Windows-1252. */
const NOT_ASSIGNED = ["\u0081", "\u008D", "\u008F", "\u0090", "\u009D"].map((byte) => byte.charCodeAt(0));

/**
 * Windows-1252 where a file is not UTF-8 and all of its bytes are letters there. Throws {@link SourceFault} where it is
 * neither.
 */
async function lettersOf(file: SourceFile): Promise<Letters> {
  if (await isAllUtf8(file)) return { encoding: "utf-8", notes: [] };
  let first: TextLine | null = null;
  for await (const one of textLines(file.bytes())) {
    if (first === null && isUtf8(one.bytes)) continue;
    first ??= one;
    if (NOT_ASSIGNED.some((byte) => one.bytes.includes(byte))) throw notUtf8(`line ${first.line}`);
  }
  const text = new TextDecoder("windows-1252").decode(first?.bytes).trim().slice(0, LINE_SHOWN);
  return {
    encoding: "windows-1252",
    notes: [`is read as Windows-1252, as it is not UTF-8: line ${first?.line} is ${JSON.stringify(text)}`],
  };
}

const LINE_SHOWN = 80;

async function isAllUtf8(file: SourceFile): Promise<boolean> {
  for await (const block of lineBlocks(file.bytes(), () => notUtf8(null))) if (!isUtf8(block)) return false;
  return true;
}

/** A CSV file as a table of texts. Throws {@link SourceFault} on a record with another number of cells. */
export async function csvTable(file: SourceFile, head: Head, found: CsvShape): Promise<TableReader> {
  const { encoding, notes } = await lettersOf(file);
  const text = () => new TextDecoder(encoding).decode(head.bytes);
  const isWhole = head.size <= head.bytes.length;
  const { delimiter, header, before } = (encoding === "utf-8" ? null : csvShape(text(), isWhole)) ?? found;
  const columns = columnNames(header);
  async function* records(): AsyncGenerator<TableRecord> {
    let line = before + 1;
    let isHeader = true;
    for await (const record of cellsOf(file, { delimiter, before }, encoding)) {
      const begin = line;
      line += 1 + lineEnds(record);
      if (record.every((cell) => cell.trim() === "") || (delimiter === "|" && isRule(record))) continue;
      if (!isHeader) yield checked(record, begin, columns.length);
      isHeader = false;
    }
  }
  return { columns, delimiter, isText: true, records, notes: () => notes };
}

/** Whether a record is the line below the header of a table in Markdown. */
function isRule(record: readonly string[]): boolean {
  return (
    record.every((cell) => /^(:?-+:?)?$/.test(cell.trim())) && record.some((cell) => cell.includes("--"))
  );
}

/** A cell that stands in no quotes, and is no text therefore in files that quote each text. */
export interface BareCell {
  readonly bare: string;
}

/** The records of a file, the header first; cells without quotes are told apart. */
export async function* quotedCells(
  file: SourceFile,
  shape: CsvShape,
): AsyncGenerator<readonly (string | BareCell)[]> {
  yield* cellsOf<string | BareCell>(file, shape, "utf-8", (cell, { quoting }) =>
    quoting ? cell : { bare: cell },
  );
}

/**
 * The records of a file. They come with each piece of it: waiting for each record alone takes longer than to parse it.
 */
async function* cellsOf<Cell = string>(
  file: SourceFile,
  { delimiter, before }: Pick<CsvShape, "delimiter" | "before">,
  encoding: Encoding,
  cast?: (cell: string, context: { readonly quoting: boolean }) => Cell,
): AsyncGenerator<readonly Cell[]> {
  const parser = parse({
    delimiter,
    relax_column_count: true,
    max_record_size: MAX_RECORD_CHARACTERS,
    ...(cast === undefined ? {} : { cast }),
  });
  const records: (readonly Cell[])[] = [];
  parser.on("data", (record: readonly Cell[]) => records.push(record));
  // Whoever writes hears of it.
  parser.on("error", () => undefined);
  const ended = finished(parser);
  ended.catch(() => undefined);
  const write = (text: string) =>
    new Promise<void>((resolve, reject) => {
      parser.write(text, (error) => {
        if (error == null) resolve();
        else reject(error);
      });
    });
  const take = () => records.splice(0);
  try {
    for await (const text of decoded(file, before, encoding)) {
      await write(text);
      yield* take();
    }
    parser.end();
    await ended;
  } catch (error) {
    throw csvFault(error, before);
  } finally {
    parser.destroy();
  }
  yield* take();
}

/** Ends of lines within the cells of a record. */
function lineEnds(record: readonly string[]): number {
  let ends = 0;
  for (const cell of record) if (cell.includes("\n")) ends += cell.split("\n").length - 1;
  return ends;
}

function checked(record: readonly string[], line: number, columns: number): TableRecord {
  const place = `line ${line}`;
  if (record.length === columns) return { place, cells: record };
  return { place, cells: [], fault: `has ${record.length} cells, the header has ${columns}` };
}

/** What is wrong, by csv-parse's code of it. */
const CSV_FAULTS: ReadonlyMap<unknown, string> = new Map([
  [
    "CSV_INVALID_CLOSING_QUOTE",
    "behind the closing quote of a cell stands more; a quote within a quoted cell is written twice",
  ],
  [
    "INVALID_OPENING_QUOTE",
    "a quote stands in a cell that does not begin with one; such a cell is quoted, and the quote written twice",
  ],
  ["CSV_QUOTE_NOT_CLOSED", "a quoted cell does not end; a quote within a quoted cell is written twice"],
]);

function csvFault(error: unknown, before: number): unknown {
  if (error instanceof SourceFault || !(error instanceof Error) || !("code" in error)) return error;
  const { code, lines } = error as { readonly code: unknown; readonly lines?: number };
  const place = lines === undefined ? null : `line ${lines + before}`;
  const reason = CSV_FAULTS.get(code) ?? error.message;
  return new SourceFault("invalid", place, `is not CSV: ${reason}`, { cause: error });
}

/** The text of a file behind its first lines. */
async function* decoded(file: SourceFile, before: number, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  let left = before;
  for await (const piece of file.bytes()) {
    let text = decoder.decode(piece, { stream: true });
    for (; left > 0 && text.includes("\n"); left--) text = withoutLines(text, 1);
    if (left === 0) yield text;
  }
  yield decoder.decode();
}

function columnNames(header: readonly string[]): string[] {
  const names = header.map(columnName);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined)
    throw new SourceFault(
      "invalid",
      "line 1",
      `has two columns ${JSON.stringify(twice)}: rename one of them`,
    );
  return names;
}
