import { countOf } from "../../model/messages.ts";
import { readShared, type Sheet, type Workbook } from "./workbook.ts";
import { sheetRows, type Merged, type Met, type SheetRow } from "./sheet-rows.ts";

/** Where the table of a sheet stands, and the names of its columns. */
interface Layout {
  /** By column, as JSON. */
  readonly names: ReadonlyMap<number, string>;
  /** The row of the header's last line. */
  readonly row: number;
  readonly title: string | null;
}

/** Rows at the begin of a sheet in which its header is looked for. */
const ROWS_LOOKED_AT = 50;
const CHARACTERS_AT_ONCE = 256 * 1024;

/** A sheet as a JSON list of records, without the members that a row lacks. `note` hears what is left out. */
export async function* sheetBytes(
  workbook: Workbook,
  sheet: Sheet,
  note: (text: string) => void,
): AsyncGenerator<Uint8Array> {
  const shared = await readShared(workbook);
  const met: Met = { errors: 0, merged: [] };
  const first: SheetRow[] = [];
  for await (const some of sheetRows(workbook, sheet, shared, met))
    first.push(...some.slice(0, ROWS_LOOKED_AT - first.length));
  const layout = layoutOf(first, met.merged);
  if (layout === null) return;
  if (layout.title !== null) note(`the title ${layout.title} above the header is left out`);
  if (met.errors > 0) note(errorsNote(met.errors));
  let text = "";
  let before = "[";
  for await (const some of sheetRows(workbook, sheet, shared, { errors: 0, merged: [] })) {
    for (const one of some) {
      if (one.row <= layout.row) continue;
      text += `${before}{${membersOf(one, layout).join(",")}}`;
      before = ",\n";
    }
    if (text.length < CHARACTERS_AT_ONCE) continue;
    yield Buffer.from(text);
    text = "";
  }
  yield Buffer.from(`${text}${before === "[" ? before : ""}]\n`);
}

function errorsNote(count: number): string {
  return `${countOf(count, "cell")} with an error such as #DIV/0! ${count === 1 ? "has" : "have"} no value`;
}

/** The members of a row below the header; a cell in a column without a name is called by its letters. */
function membersOf({ cells }: SheetRow, { names }: Layout): string[] {
  return Array.from(
    cells,
    ([at, json]) => `${names.get(at) ?? JSON.stringify(`column ${lettersOf(at)}`)}:${json}`,
  );
}

/** `AB` of 27. */
function lettersOf(column: number): string {
  const before = Math.floor(column / 26);
  return `${before === 0 ? "" : lettersOf(before - 1)}${String.fromCharCode(65 + (column % 26))}`;
}

function layoutOf(rows: readonly SheetRow[], merged: readonly Merged[]): Layout | null {
  const at = rows.findIndex((row, i) => !isTitle(row, rows[i + 1], merged));
  const header = rows[at];
  if (header === undefined) return null;
  const below = rows[at + 1];
  const groups = merged.filter((one) => one.row === header.row && one.lastColumn > one.column);
  const isTwoLines =
    groups.length > 0 && below !== undefined && below.row === header.row + 1 && isTexts(below);
  const lower = isTwoLines ? below.cells : new Map<number, string>();
  const columns = [...new Set([...header.cells.keys(), ...lower.keys()])];
  const names = columns.map((column) => {
    const group = groups.find((one) => one.column <= column && column <= one.lastColumn);
    const upper = header.cells.get(isTwoLines ? (group?.column ?? column) : column);
    return [upper, lower.get(column)].flatMap((one) => (one === undefined ? [] : [nameOf(one)])).join(".");
  });
  const told = distinct(names).map((name, i) => [columns[i] ?? 0, JSON.stringify(name)] as const);
  const title = rows.slice(0, at).flatMap(({ cells }) => [...cells.values()])[0] ?? null;
  return {
    names: new Map(told),
    row: isTwoLines ? below.row : header.row,
    title,
  };
}

/** Whether a row above others has one cell, which is not the name of a group of columns. */
function isTitle({ row, cells }: SheetRow, next: SheetRow | undefined, merged: readonly Merged[]): boolean {
  if (cells.size !== 1 || next === undefined || next.cells.size === 1) return false;
  const group = merged.find((one) => one.row === row && one.lastColumn > one.column);
  if (group === undefined || next.row !== row + 1) return true;
  return [...next.cells.keys()].every((at) => at >= group.column && at <= group.lastColumn);
}

const isTexts = ({ cells }: SheetRow) => [...cells.values()].every((json) => json.startsWith('"'));

function nameOf(json: string): string {
  const value: unknown = JSON.parse(json);
  return (typeof value === "string" ? value : json).trim();
}

/** Names of which none stands twice. */
function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let own = name;
    for (let n = 2; taken.has(own); n++) own = `${name} (${n})`;
    taken.add(own);
    return own;
  });
}
