import { cellText } from "./readers/table-reader.ts";
import type { Json } from "../../../model/json.ts";
import {
  isMarked,
  readWritten,
  valueOfWritten,
  type DecimalSign,
  type NumberForm,
  type WrittenNumber,
} from "./written-numbers.ts";

/** What most cells of a column are. */
type ColumnType = "number" | "boolean" | "text" | "object" | "empty";

/** A cell, for messages. */
export interface PlacedCell {
  readonly place: string;
  /** The begin of its text. */
  readonly text: string;
}

/**
 * A cell as it counts for the type of its column. `word`: such as `yes`, a truth value but beside numbers. `letter`: such as `T`, a
 * word but beside texts: it may be a grade or an option there. `none` is no value.
 */
type Cell =
  | { readonly kind: "number"; readonly value: number | bigint | WrittenNumber }
  | { readonly kind: "boolean" | "word" | "letter"; readonly value: boolean }
  | { readonly kind: "text" | "object" | "none"; readonly value?: undefined };

/** What is known of a column when all of it was read. */
export interface ColumnFacts {
  readonly type: ColumnType;
  /** Whether all cells of a text table, as they stand, are numbers or booleans; for columns that are no scores. */
  readonly isPlain: boolean;
  readonly counts: Readonly<Record<Cell["kind"], number>>;
  /** The length of the longest text. */
  readonly longest: number;
  /** Texts such as `NA` that stand for no value. */
  readonly notAvailable: number;
  /** The first cells that are of another kind than the column; beside numbers, truth values are not. */
  readonly others: readonly PlacedCell[];
  /** The first number of each form, in percent, above 1 without percent, and of each currency. */
  readonly forms: ReadonlyMap<NumberForm, PlacedCell>;
  readonly percent: PlacedCell | null;
  readonly above1: PlacedCell | null;
  readonly currencies: ReadonlyMap<string, PlacedCell>;
  /** A number between 0 and 1 and one from 10 to 100 of a column without any other number above 1: shares and percentages? */
  readonly scales: readonly [PlacedCell, PlacedCell] | null;
}

/** Kinds of cells that have no value in a column. */
const OTHERS: Readonly<Record<ColumnType, readonly Cell["kind"][]>> = {
  number: ["word", "letter", "text", "object"],
  boolean: ["number", "text", "object"],
  text: ["object"],
  object: [],
  empty: [],
};

const NOT_AVAILABLE: ReadonlySet<string> = new Set(["na", "n/a", "nan", "null", "none", "-", "–"]);
const WORDS = new Map(
  Object.entries({ true: true, false: false, yes: true, no: false, pass: true, fail: false }),
)
  .set("passed", true)
  .set("failed", false);
for (const mark of "✓✔✅☑") WORDS.set(mark, true);
for (const mark of "✗✘❌✖☒") WORDS.set(mark, false);
const LETTERS: ReadonlyMap<string, boolean> = new Map(
  Object.entries({ t: true, y: true, f: false, n: false }),
);
const LONGEST_WORD = 6;
const OTHERS_SHOWN = 3;
const TEXT_SHOWN = 40;

/** Reads a cell, whatever kind of file it is in. */
function readCell(cell: Json | undefined): Cell {
  if (cell === undefined || cell === null) return { kind: "none" };
  if (typeof cell === "boolean") return { kind: "boolean", value: cell };
  if (typeof cell === "number" || typeof cell === "bigint") return { kind: "number", value: cell };
  return typeof cell === "string" ? readText(cell.trim()) : { kind: "object" };
}

function readText(text: string): Cell {
  if (text === "") return { kind: "none" };
  if (text.length <= LONGEST_WORD) {
    const word = text.toLowerCase().replace("\uFE0F", "");
    if (NOT_AVAILABLE.has(word)) return { kind: "none" };
    const value = WORDS.get(word);
    if (value !== undefined) return { kind: word === String(value) ? "boolean" : "word", value };
    const letter = LETTERS.get(word);
    if (letter !== undefined) return { kind: "letter", value: letter };
  }
  const value = readWritten(text);
  if (value !== null) return { kind: "number", value };
  return { kind: /^(\{.*\}|\[.*\])$/s.test(text) ? "object" : "text" };
}

/** Numbers that every reader of JSON reads alike. */
const PLAIN: ReadonlySet<NumberForm> = new Set(["whole", "point", "grouped"]);

/** Counts the cells of one column. */
export class ColumnCount {
  readonly #counts = { number: 0, boolean: 0, word: 0, letter: 0, text: 0, object: 0, none: 0 };
  readonly #first = {
    number: [],
    boolean: [],
    word: [],
    letter: [],
    text: [],
    object: [],
    none: [],
  } as Record<Cell["kind"], (PlacedCell & { readonly record: number })[]>;
  readonly #forms = new Map<NumberForm, PlacedCell>();
  readonly #currencies = new Map<string, PlacedCell>();
  #percent: PlacedCell | null = null;
  #above1: PlacedCell | null = null;
  #share: PlacedCell | null = null;
  #tens: PlacedCell | null = null;
  #hasOtherScale = false;
  #notAvailable = 0;
  #longest = 0;
  #records = 0;
  #isPlain = true;

  add(cell: Json | undefined, place: string): void {
    this.#records++;
    const read = readCell(cell);
    this.#counts[read.kind]++;
    if (read.kind === "none") {
      if (cellText(cell).trim() !== "") this.#notAvailable++;
      return;
    }
    const first = this.#first[read.kind];
    const placed = { place, text: cellText(cell).trim().slice(0, TEXT_SHOWN) };
    if (read.kind === "text") this.#longest = Math.max(this.#longest, placed.text.length);
    if (first.length < OTHERS_SHOWN) first.push({ ...placed, record: this.#records });
    if (read.kind === "number") this.#addNumber(read.value, placed);
    else if (read.kind !== "boolean" && !/^(yes|no)$/i.test(placed.text)) this.#isPlain = false;
  }

  #addNumber(value: number | bigint | WrittenNumber, placed: PlacedCell): void {
    const isPercent = typeof value === "object" && value.isPercent;
    if (isPercent) this.#percent ??= placed;
    else this.#addScale(Number(valueOf(value, "point")), placed);
    if (typeof value !== "object") return;
    const { form, currency } = value;
    if (!this.#forms.has(form)) this.#forms.set(form, placed);
    if (currency !== null && !this.#currencies.has(currency)) this.#currencies.set(currency, placed);
    const hasMarks = isMarked(placed.text);
    if (hasMarks && !this.#forms.has("marked")) this.#forms.set("marked", placed);
    if (isPercent || currency !== null || hasMarks || !PLAIN.has(form)) this.#isPlain = false;
  }

  #addScale(number: number, placed: PlacedCell): void {
    if (number > 0 && number < 1) this.#share ??= placed;
    if (Math.abs(number) <= 1) return;
    this.#above1 ??= placed;
    if (number >= 10 && number <= 100) this.#tens ??= placed;
    else this.#hasOtherScale = true;
  }

  facts(): ColumnFacts {
    const counts = this.#counts;
    const type = typeOf(counts);
    const odd = OTHERS[type];
    return {
      type,
      isPlain: this.#isPlain && (counts.number === 0 || counts.boolean + counts.word === 0),
      counts,
      longest: this.#longest,
      notAvailable: this.#notAvailable,
      others: odd
        .flatMap((kind) => this.#first[kind])
        .toSorted((a, b) => a.record - b.record)
        .slice(0, OTHERS_SHOWN),
      forms: this.#forms,
      percent: this.#percent,
      above1: this.#above1,
      currencies: this.#currencies,
      scales:
        this.#share === null || this.#tens === null || this.#hasOtherScale ? null : [this.#share, this.#tens],
    };
  }
}

export const EMPTY_COLUMN: ColumnFacts = new ColumnCount().facts();

/** What at least half of the values are; `true` and `false` beside numbers are numbers. */
function typeOf({ number, boolean, word, letter, text, object }: ColumnFacts["counts"]): ColumnType {
  const half = (number + boolean + word + letter + text + object) / 2;
  if (half === 0) return "empty";
  if (number > 0 && number + boolean >= half) return "number";
  const truths = boolean + word;
  if (truths + (text === 0 || truths > 0 ? letter : 0) >= half) return "boolean";
  return object > half ? "object" : "text";
}

function valueOf(value: number | bigint | WrittenNumber, decimal: DecimalSign): number | bigint | null {
  return typeof value === "object" ? valueOfWritten(value, decimal) : value;
}

/** The value of a cell of a score, by the type of its column; null for none, also where it is of another kind. */
export function scoreValue(
  cell: Json | undefined,
  type: ColumnType,
  decimal: DecimalSign,
): number | bigint | boolean | string | null {
  const read = readCell(cell);
  if (read.kind === "none" || read.kind === "object") return null;
  if (type === "text") return cellText(cell).trim();
  if (type === "boolean") return typeof read.value === "boolean" ? read.value : null;
  if (type !== "number" || read.value === undefined || read.kind === "word" || read.kind === "letter")
    return null;
  return typeof read.value === "boolean" ? Number(read.value) : valueOf(read.value, decimal);
}

/** Whether a cell holds something, though it may give no value. */
export function isFilled(cell: Json | undefined): boolean {
  return readCell(cell).kind !== "none";
}

/** Whether a cell of errors says that there is one. */
export function isError(cell: Json | undefined): boolean {
  return isFilled(cell) && !/^(f|false|n|no|0|\[\]|\{\})$/i.test(cellText(cell).trim());
}

/** The value of a cell that is no score; undefined for an empty one. A text is more only where all of its column is. */
export function plainValue(cell: Json | undefined, facts: ColumnFacts, isText: boolean): Json | undefined {
  if (cell === undefined || cell === null || cell === "") return undefined;
  if (!isText || !facts.isPlain) return cell;
  const read = readCell(cell);
  if (read.kind === "none") return undefined;
  return scoreValue(cell, facts.type, "point") ?? cell;
}
