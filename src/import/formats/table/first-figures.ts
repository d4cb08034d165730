import { isPrefixObject, type Prefix } from "../../recognise/json-prefix.ts";
import type { TableMapping } from "../../translate/table-mapping.ts";
import type { Json, JsonObject } from "../../../model/json.ts";
import { kindOf } from "./figure-names.ts";
import { firstFitting } from "./guess-names.ts";
import { namesOf } from "./roles.ts";
import type { TableReader, TableRecord } from "./readers/table-reader.ts";

/** A table, and the members of a first record that is none: it has counts or means of the others, and no row. */
interface WithoutFigures {
  readonly reader: TableReader;
  readonly beside: JsonObject;
}

export async function withoutFigures(reader: TableReader, given: TableMapping): Promise<WithoutFigures> {
  await reader.findColumns?.();
  const [first, second] = await firstTwo(reader);
  // The columns are known: to find them again takes a whole reading.
  const whole = { reader: { ...reader, findColumns: () => Promise.resolve() }, beside: {} };
  if (reader.isText || first === undefined || second === undefined) return whole;
  const names = filledIn(reader, first);
  const hasFigure = names.some(
    (name) => kindOf(name) !== null && typeof memberOf(reader, first, name) === "number",
  );
  if (!hasFigure || tellsRow(names, given) || !tellsRow(filledIn(reader, second), given)) return whole;
  const kept = new Set<number>();
  let isFirst = true;
  for await (const { cells } of reader.records()) {
    if (!isFirst) for (const [at, cell] of cells.entries()) if (cell != null) kept.add(at);
    isFirst = false;
  }
  const at = [...kept].toSorted((a, b) => a - b);
  const beside = Object.fromEntries(names.map((name) => [name, memberOf(reader, first, name)]));
  return { reader: withoutFirst(reader, at), beside };
}

function withoutFirst(reader: TableReader, kept: readonly number[]): TableReader {
  return {
    ...reader,
    columns: kept.map((at) => reader.columns[at] ?? ""),
    findColumns: () => Promise.resolve(),
    async *records() {
      let isFirst = true;
      for await (const record of reader.records()) {
        if (!isFirst)
          yield record.fault === undefined
            ? { ...record, cells: kept.map((at) => record.cells[at]) }
            : record;
        isFirst = false;
      }
    },
  };
}

const isFigure = ([name, value]: [string, Prefix]) => kindOf(name) !== null && typeof value === "number";

/** Whether the first record of a file may be such figures. */
export function mayBeFigures(first: Prefix | undefined): boolean {
  if (!isPrefixObject(first)) return false;
  return Object.entries(first).some(isFigure) && !tellsRow(Object.keys(first), {});
}

async function firstTwo(reader: TableReader): Promise<TableRecord[]> {
  const records: TableRecord[] = [];
  for await (const record of reader.records()) if (records.push(record) === 2) break;
  return records;
}

function memberOf(reader: TableReader, record: TableRecord, name: string): Json {
  return record.cells[reader.columns.indexOf(name)] ?? null;
}

function filledIn(reader: TableReader, { cells }: TableRecord): string[] {
  return reader.columns.filter((_, at) => cells[at] != null);
}

function tellsRow(names: readonly string[], { row, input }: TableMapping): boolean {
  const named = [row ?? [], input ?? []].flat();
  return (
    named.some((name) => names.includes(name)) ||
    firstFitting(names, namesOf("names", "row", "input")).length > 0
  );
}
