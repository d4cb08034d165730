import type { Json } from "../../../model/json.ts";
import { readTextNumber } from "../../../model/numbers.ts";
import { cellText, type TableReader } from "./table-reader.ts";

/** What the cells of a column are. */
export type ColumnType = "number" | "boolean" | "text" | "empty";

/** What is known of a column when all of it was read. */
export interface ColumnFacts {
  readonly type: ColumnType;
  /** Cells such as `NA` that count as empty because the others are numbers or booleans. */
  readonly notAvailable: number;
  /** For texts: which words are true. */
  readonly trueWord: "true" | "yes";
}

interface Counts {
  cells: number;
  numbers: number;
  trueFalse: number;
  yesNo: number;
  notAvailable: number;
}

const NOT_AVAILABLE: ReadonlySet<string> = new Set(["NA", "N/A", "NaN", "nan", "null", "None", "-"]);
/** A number with leading zeros is the name of something. */
const NAME = /^[+-]?0\d/;

/** Counts the cells of columns, record by record. */
export class ColumnCounts {
  readonly #counts: Counts[] = [];
  readonly #isText: boolean;

  constructor({ isText }: TableReader) {
    this.#isText = isText;
  }

  add(cells: readonly (Json | undefined)[]): void {
    for (const [i, cell] of cells.entries()) {
      const counts = (this.#counts[i] ??= { cells: 0, numbers: 0, trueFalse: 0, yesNo: 0, notAvailable: 0 });
      if (cell === undefined || cell === null || cell === "") continue;
      counts.cells++;
      if (this.#isText) countText(counts, cellText(cell));
      else if (typeof cell === "number" || typeof cell === "bigint") counts.numbers++;
      else if (typeof cell === "boolean") counts.trueFalse++;
    }
  }

  facts(columns: number): ColumnFacts[] {
    return Array.from({ length: columns }, (_, i) => {
      const counts = this.#counts[i];
      return counts === undefined ? EMPTY : factsOf(counts, this.#isText);
    });
  }
}

function countText(counts: Counts, cell: string): void {
  const word = cell.toLowerCase();
  if (NOT_AVAILABLE.has(cell)) counts.notAvailable++;
  else if (word === "true" || word === "false") counts.trueFalse++;
  else if (word === "yes" || word === "no") counts.yesNo++;
  else if (readTextNumber(cell) !== null && !NAME.test(cell)) counts.numbers++;
}

const EMPTY: ColumnFacts = { type: "empty", notAvailable: 0, trueWord: "true" };

function factsOf(counts: Counts, isText: boolean): ColumnFacts {
  const { cells, numbers, trueFalse, yesNo, notAvailable } = counts;
  const values = cells - notAvailable;
  const isOf = (count: number) => count > 0 && count === values;
  if (values === 0) return { type: cells === 0 ? "empty" : "text", notAvailable: 0, trueWord: "true" };
  const trueWord = isOf(yesNo) ? "yes" : "true";
  if (isOf(trueFalse) || isOf(yesNo)) return { type: "boolean", notAvailable, trueWord };
  // Numbers beside booleans make a column of numbers; only JSON has both.
  if (isOf(numbers) || (!isText && isOf(numbers + trueFalse)))
    return { type: "number", notAvailable, trueWord };
  return { type: "text", notAvailable: 0, trueWord };
}

/** The value of a cell by the type of its column; undefined for an empty one. */
export function typedCell(
  cell: Json | undefined,
  facts: ColumnFacts | undefined,
  isText: boolean,
): Json | undefined {
  if (cell === undefined || cell === null || cell === "") return undefined;
  if (!isText) return facts?.type === "number" && typeof cell === "boolean" ? Number(cell) : cell;
  const text = cellText(cell);
  if (facts?.type !== "number" && facts?.type !== "boolean") return text;
  if (NOT_AVAILABLE.has(text)) return undefined;
  if (facts.type === "boolean") return text.toLowerCase() === facts.trueWord;
  const number = readTextNumber(text);
  return Number.isSafeInteger(number) || !/^[+-]?\d+$/.test(text) ? number : BigInt(text);
}
