import type { Json } from "../../../model/json.ts";
import { readTextNumber } from "../../../model/numbers.ts";
import { cellText, type TableReader } from "./readers/table-reader.ts";

/** What the cells of a column are. */
export type ColumnType = "number" | "boolean" | "text" | "empty";

/** What is known of a column when all of it was read. */
export interface ColumnFacts {
  readonly type: ColumnType;
  /** Cells such as `NA` that count as empty because the others are numbers or booleans. */
  readonly notAvailable: number;
  /** For texts: which words are true. */
  readonly trueWord: "true" | "yes";
  /** Cells that are neither numbers nor booleans, and the place of the first. */
  readonly texts: number;
  readonly firstText: string;
}

export const EMPTY_COLUMN: ColumnFacts = {
  type: "empty",
  notAvailable: 0,
  trueWord: "true",
  texts: 0,
  firstText: "",
};

interface Counts {
  cells: number;
  numbers: number;
  trueFalse: number;
  yesNo: number;
  notAvailable: number;
  texts: number;
  firstText: string;
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

  add(cells: readonly (Json | undefined)[], place: string): void {
    for (const [i, cell] of cells.entries()) {
      const counts = (this.#counts[i] ??= noCounts());
      if (cell === undefined || cell === null || cell === "") continue;
      counts.cells++;
      if (this.#isText ? countText(counts, cellText(cell)) : countValue(counts, cell)) continue;
      if (counts.texts++ === 0) counts.firstText = place;
    }
  }

  facts(columns: number): ColumnFacts[] {
    return Array.from({ length: columns }, (_, i) => {
      const counts = this.#counts[i];
      return counts === undefined ? EMPTY_COLUMN : factsOf(counts, this.#isText);
    });
  }
}

const noCounts = (): Counts => ({
  cells: 0,
  numbers: 0,
  trueFalse: 0,
  yesNo: 0,
  notAvailable: 0,
  texts: 0,
  firstText: "",
});

/** Counts a value; false for a text, an object or a list. */
function countValue(counts: Counts, cell: Json): boolean {
  if (typeof cell === "number" || typeof cell === "bigint") counts.numbers++;
  else if (typeof cell === "boolean") counts.trueFalse++;
  else return false;
  return true;
}

/** Counts a text by what it may stand for; false for one that is a text and nothing else. */
function countText(counts: Counts, cell: string): boolean {
  if (readTextNumber(cell) !== null) {
    if (NAME.test(cell)) return false;
    counts.numbers++;
    return true;
  }
  const word = cell.length <= 5 ? cell.toLowerCase() : "";
  if (NOT_AVAILABLE.has(cell)) counts.notAvailable++;
  else if (word === "true" || word === "false") counts.trueFalse++;
  else if (word === "yes" || word === "no") counts.yesNo++;
  else return false;
  return true;
}

function factsOf(counts: Counts, isText: boolean): ColumnFacts {
  const { cells, numbers, trueFalse, yesNo, notAvailable, texts, firstText } = counts;
  const values = cells - notAvailable;
  const isOf = (count: number) => count > 0 && count === values;
  const common = { trueWord: isOf(yesNo) ? "yes" : "true", texts, firstText } as const;
  if (values === 0) return { ...common, type: cells === 0 ? "empty" : "text", notAvailable: 0 };
  if (isOf(trueFalse) || isOf(yesNo)) return { ...common, type: "boolean", notAvailable };
  // Numbers beside booleans make a column of numbers; only JSON has both.
  if (isOf(numbers) || (!isText && isOf(numbers + trueFalse)))
    return { ...common, type: "number", notAvailable };
  return { ...common, type: "text", notAvailable: 0 };
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
