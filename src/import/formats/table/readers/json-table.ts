import { isJsonObject, type Json, type JsonObject } from "../../../../model/json.ts";
import { SourceFault } from "../../../read/fault.ts";
import type { JsonCut } from "../../../read/json-cut.ts";
import { mayHaveNoNumbers, parseLine, parseRecord, textLines } from "../../../read/json-lines.ts";
import { jsonPieces, parsePlain, readDocument } from "../../../read/json-pieces.ts";
import { listAt } from "../../../read/members.ts";
import { withoutNoNumbers } from "../../../read/no-numbers.ts";
import type { SourceFile } from "../../../read/source-file.ts";
import { cellText, type TableReader, type TableRecord } from "./table-reader.ts";

interface PlacedValue extends Pick<TableRecord, "place" | "fault"> {
  readonly value: Json;
}

/** One object a line. */
export function linesTable(file: SourceFile): TableReader {
  return objectTable(async function* () {
    for await (const line of textLines(file.bytes()))
      yield { place: `line ${line.line}`, value: withoutNoNumbers(parseLine(line)) };
  });
}

/** A list of objects. */
export function listTable(file: SourceFile, cut: JsonCut = { elements: {} }): TableReader {
  return objectTable(() => elementsOf(file, cut));
}

/** Texts that are one object each. */
export function textsTable(texts: () => AsyncIterable<string>): TableReader {
  return objectTable(async function* () {
    let record = 0;
    for await (const text of texts()) {
      const place = `record ${++record}`;
      const value = parseRecord(text, place);
      yield { place, value: mayHaveNoNumbers(text) ? withoutNoNumbers(value) : value };
    }
  });
}

/** Columns are found while records are read: their names are those of all members. */
export function objectTable(values: () => AsyncIterable<PlacedValue>): TableReader {
  const columns: string[] = [];
  const places = new Map<string, number>();
  async function* records(): AsyncGenerator<TableRecord> {
    for await (const { place, value, fault } of values()) {
      if (fault !== undefined) yield { place, cells: [], fault };
      else if (!isJsonObject(value)) throw new SourceFault("invalid", place, "is not an object");
      else yield { place, cells: cellsOf(value) };
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
      cells[at] = value;
    }
    return cells;
  };
  return {
    columns,
    isText: false,
    records,
    findColumns: async () => {
      for await (const record of records()) void record;
    },
  };
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
): AsyncGenerator<PlacedValue> {
  for await (const piece of jsonPieces(file.bytes(), cut))
    if (piece.place !== "") yield { place: piece.place, value: parsePlain(piece) };
}

/** `columns` and `data`, as pandas and MLflow write tables. */
export async function splitTable(file: SourceFile): Promise<TableReader> {
  const head = parsePlain(await readDocument(file.bytes(), { members: { data: "skip", index: "skip" } }));
  const cut = { members: { data: { elements: {} } }, others: "skip" } as const;
  return { ...cellsTable(listAt(head, "columns"), () => elementsOf(file, cut)), shape: "split" };
}
