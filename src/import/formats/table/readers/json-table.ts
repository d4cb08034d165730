import { cellText, nameIn, type TableReader, type TableRecord } from "./table-reader.ts";
import { nameList } from "../../../../model/messages.ts";
import { orRefused } from "../../../read/fault.ts";
import type { JsonCut, JsonPiece } from "../../../read/json-cut.ts";
import { parseLine, parseRecord, textLines } from "../../../read/json-lines.ts";
import { jsonPieces, parsePiece, parsePlain, readDocument } from "../../../read/json-pieces.ts";
import { listAt } from "../../../read/members.ts";
import { noNumberName, withoutNoNumbers } from "../../../read/no-numbers.ts";
import type { SourceFile } from "../../../read/source-file.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../../model/json.ts";

export interface PlacedValue extends Pick<TableRecord, "place" | "fault"> {
  readonly value: Json;
}

/** One object a line. */
export function linesTable(file: SourceFile): TableReader {
  return objectTable(async function* () {
    for await (const line of textLines(file.bytes())) {
      const place = `line ${line.line}`;
      const faults: string[] = [];
      const value = orRefused(
        () => parseLine(line),
        place,
        ({ message }) => faults.push(message),
      );
      yield { place, value, ...(faults[0] === undefined ? {} : { fault: faults[0] }) };
    }
  });
}

/** A list of objects. */
export function listTable(file: SourceFile, cut: JsonCut = { elements: {} }): TableReader {
  return objectTable(() => elementsOf(file, cut, parsePiece));
}

/** Texts that are one object each. */
export function textsTable(texts: () => AsyncIterable<string>): TableReader {
  return objectTable(async function* () {
    let record = 0;
    for await (const text of texts()) {
      const place = `record ${++record}`;
      yield { place, value: parseRecord(text, place) };
    }
  });
}

/** Columns are found while records are read: their names are those of all members. */
export function objectTable(values: () => AsyncIterable<PlacedValue>): TableReader {
  const columns: string[] = [];
  const places = new Map<string, number>();
  const noNumbers = new Map<string, number>();
  const unnamed = new Set<string>();
  const nested = new Set<string>();
  async function* records(): AsyncGenerator<TableRecord> {
    noNumbers.clear();
    for await (const { place, value, fault } of values()) {
      if (fault === undefined && isJsonObject(value)) yield { place, cells: cellsOf(value) };
      else yield { place, cells: [], fault: fault ?? "is not an object" };
    }
  }
  const cellsOf = (record: JsonObject) => {
    const cells: (Json | undefined)[] = Array.from({ length: columns.length });
    for (const [member, value] of Object.entries(record)) {
      const name = member.trim();
      let at = places.get(name);
      if (at === undefined) {
        at = columns.push(name) - 1;
        places.set(name, at);
      }
      if (noNumberName(value) !== null) noNumbers.set(name, (noNumbers.get(name) ?? 0) + 1);
      if (isJsonObject(Array.isArray(value) ? (value[0] as Json | undefined) : value)) nested.add(name);
      if (Array.isArray(value) || (isJsonObject(value) && nameIn(value) === null)) unnamed.add(name);
      cells[at] = withoutNoNumbers(value);
    }
    return cells;
  };
  return {
    columns,
    isText: false,
    unnamed,
    nested,
    records,
    notes: () => noNumberNotes(noNumbers),
    findColumns: () => readAll(records()),
  };
}

async function readAll(records: AsyncIterable<TableRecord>): Promise<void> {
  for await (const record of records) void record;
}

function noNumberNotes(counts: ReadonlyMap<string, number>): string[] {
  const told = nameList(Array.from(counts, ([name, count]) => `${name} (${count})`));
  return told === "" ? [] : [`NaN and infinities are no value: ${told}`];
}

/** A list of lists, of which the first is the header. */
export async function nestedTable(file: SourceFile): Promise<TableReader> {
  let header: readonly Json[] = [];
  for await (const { value } of elementsOf(file)) {
    header = Array.isArray(value) ? (value as readonly Json[]) : [];
    break;
  }
  return cellsTable(header, async function* () {
    for await (const one of elementsOf(file)) if (one.place !== "[0]") yield one;
  });
}

/** Lists of cells, one a record. */
function cellsTable(header: readonly Json[], values: () => AsyncIterable<PlacedValue>): TableReader {
  const columns = header.map((name) => cellText(name).trim());
  async function* records(): AsyncGenerator<TableRecord> {
    for await (const { place, value } of values()) {
      const cells = Array.isArray(value) ? (value as readonly Json[]) : [];
      const fault = `has ${cells.length} cells, the header has ${columns.length}`;
      yield cells.length === columns.length ? { place, cells } : { place, cells: [], fault };
    }
  }
  return { columns, isText: false, records };
}

/** The elements of a list, or of lists in a document. */
export async function* elementsOf(
  file: SourceFile,
  cut: JsonCut = { elements: {} },
  parse: (piece: JsonPiece) => Json = parsePlain,
): AsyncGenerator<PlacedValue> {
  for await (const piece of jsonPieces(file.bytes(), cut))
    if (piece.place !== "") yield { place: piece.place, value: parse(piece) };
}

/** `columns` and `data`, as pandas and MLflow write tables. */
export async function splitTable(file: SourceFile): Promise<TableReader> {
  const head = parsePlain(await readDocument(file.bytes(), { members: { data: "skip", index: "skip" } }));
  const cut = { members: { data: { elements: {} } }, others: "skip" } as const;
  return { ...cellsTable(listAt(head, "columns"), () => elementsOf(file, cut)), shape: "split" };
}

/** What is at the end of a way of names. */
export function cutAt(
  names: readonly string[],
  cut: JsonCut | "skip",
  others: Pick<JsonCut, "others">,
): JsonCut | "skip" {
  const [first, ...rest] = names;
  return first === undefined ? cut : { members: { [first]: cutAt(rest, cut, others) }, ...others };
}

/** What an object says beside a list: the members on the way to it, the nearer ones before. */
export async function besideList(file: SourceFile, names: readonly string[]): Promise<JsonObject> {
  const cut = cutAt(names, "skip", {});
  const whole = parsePlain(await readDocument(file.bytes(), cut === "skip" ? {} : cut));
  const beside: { [name: string]: Json } = {};
  let inner: Json | undefined = whole;
  for (const name of names) {
    if (!isJsonObject(inner)) break;
    const { [name]: next, ...others }: JsonObject = inner;
    Object.assign(beside, others);
    inner = next;
  }
  return beside;
}
