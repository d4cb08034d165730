import type { Json, JsonObject } from "../../../../model/json.ts";

/** The column of the place of a record: in its list, from 0, or its key. */
export const PLACE = "#";

/** A record of a table: its cells in the order of the columns. */
export interface TableRecord {
  /** Such as `line 37`. */
  readonly place: string;
  /** Undefined where the record has no such member, null where it is empty. */
  readonly cells: readonly (Json | undefined)[];
  /** Why the record is none, such as too many cells. */
  readonly fault?: string;
}

/** A table that can be read as often as needed. */
export interface TableReader {
  /** Names of the columns, without blanks around them. */
  readonly columns: readonly string[];
  /** How the file is laid out, where that tells which tool wrote it. */
  readonly shape?: "split" | "experiment" | "evalplus" | "swe-bench" | "vitest";
  /** What divides the cells of a CSV file. */
  readonly delimiter?: string;
  /** What is to be said of the table when all of it was read. */
  readonly notes?: () => readonly string[];
  /** Figures beside the records, by their names; of a tool that says them. */
  readonly figures?: ReadonlyMap<string, number>;
  /** Whether cells are texts whose types are those of their columns. */
  readonly isText: boolean;
  /** Columns in which some record has an object, or a list of objects; absent where that is not known. */
  readonly nested?: ReadonlySet<string>;
  /** Columns in which some record has a list, or an object without a name. */
  readonly unnamed?: ReadonlySet<string>;
  /** Reads the table for the names of its columns, where they do not stand at its begin. */
  readonly findColumns?: () => Promise<void>;
  readonly records: () => AsyncIterable<TableRecord>;
}

/**
 * Whether a record of texts says what the others add up to: its first cell is such a word, and names no score; the rest
 * are numbers.
 */
function isTotal({ cells }: TableRecord, columns: readonly string[]): boolean {
  const at = cells.findIndex((cell) => cell !== "");
  if (!TOTAL.test(cellText(cells[at]).trim()) || NAMES_SCORE.test(columns[at] ?? "")) return false;
  const rest = cells.slice(at + 1).flatMap((cell) => cellText(cell).trim() || []);
  return rest.length > 0 && rest.every((text) => NUMBER_LIKE.test(text));
}

const NUMBER_LIKE = /^[-+\d.,%$€£\s]+$/;
const NAMES_SCORE = /metric|scorer|criteri/i;
const TOTAL = /^(grand |overall )?(total|sum|average|avg\.?|mean|median|overall)s?:?$/i;

/** How a record says that the run skipped it. */
interface SkippedRecords {
  /** Whether a column has states, by its name. */
  readonly isState: (column: string) => boolean;
  readonly saysSkipped: (cell: Json | undefined) => boolean;
}

/**
 * A table without records that repeat its header, as files have them that were put together, without totals of a text,
 * and without those that say in a column of states that they were skipped.
 */
export function withoutHeaders(reader: TableReader, { isState, saysSkipped }: SkippedRecords): TableReader {
  const headers: string[] = [];
  const totals: string[] = [];
  const skipped: string[] = [];
  async function* records(): AsyncGenerator<TableRecord> {
    for (const places of [headers, totals, skipped]) places.length = 0;
    const names = reader.columns.map((name) => name.toLowerCase());
    const isHeader = ({ cells }: TableRecord) =>
      cells.length > 0 &&
      cells.every((cell, i) => typeof cell === "string" && columnName(cell, i).toLowerCase() === names[i]);
    const states = reader.columns.flatMap((name, at) => (isState(name) ? [at] : []));
    for await (const record of reader.records())
      if (isHeader(record)) headers.push(record.place);
      else if (reader.isText && isTotal(record, reader.columns)) totals.push(record.place);
      else if (states.some((at) => saysSkipped(record.cells[at]))) skipped.push(record.place);
      else yield record;
  }
  const notes = () => [
    ...(reader.notes?.() ?? []),
    ...told(headers, "repeat the header"),
    ...told(totals, "are totals"),
    ...told(skipped, "were skipped by the run"),
  ];
  return { ...reader, notes, records };
}

/** A table with the place of each record, from 0, as a column. */
export function withPlaces(reader: TableReader): TableReader {
  return {
    ...reader,
    columns: [...reader.columns, PLACE],
    async *records() {
      let place = 0;
      for await (const record of reader.records()) {
        const { cells, fault } = record;
        const filled = Array.from(reader.columns, (_, at) => cells[at]);
        yield fault === undefined ? { ...record, cells: [...filled, String(place)] } : record;
        place++;
      }
    },
  };
}

const PLACES_SHOWN = 12;

function told(places: readonly string[], are: string): string[] {
  if (places.length === 0) return [];
  return [`${places.length} records ${are} and are left out: ${places.slice(0, PLACES_SHOWN).join(", ")}`];
}

/** The name of a column, by what the header has for it. */
export function columnName(header: string, column: number): string {
  const lines = /[\r\n]/.test(header) ? header.split(/[\r\n]/).map((line) => line.trim()) : [header.trim()];
  return lines.filter((line) => line !== "").join(" ") || `column ${column + 1}`;
}

const NAMES = ["name", "model", "model_name", "id", "model_id"];

/** The name in an object, of a model or a task; null where none is evident. */
export function nameIn(object: JsonObject): string | null {
  const name = NAMES.map((member) => object[member]).find((value) => value !== undefined && value !== null);
  return typeof name === "string" && name.trim() !== "" ? name.trim() : null;
}

/** A cell as text: a string itself, anything else as JSON; empty where there is nothing. */
export function cellText(cell: Json | undefined): string {
  if (cell === undefined || cell === null) return "";
  if (typeof cell === "string") return cell;
  if (typeof cell !== "object") return String(cell);
  return JSON.stringify(cell, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one));
}
