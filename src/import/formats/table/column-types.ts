import { cellText } from "./readers/table-reader.ts";
import { LONGEST_WORD, NO_LABEL, NOT_AVAILABLE, TRUTH_WORDS, UNDECIDED } from "./cell-words.ts";
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
 * A cell as it counts for the type of its column. `share`: such as `4/5`, a number where all texts are such. `word`:
 * such as `yes`, a truth value but beside numbers; `verdict` and `letter` are words but beside other labels.
 * `undecided`: a text that is no value beside truth values. `none` is no value.
 */
type Cell =
  | { readonly kind: "number"; readonly value: number | bigint | WrittenNumber }
  | { readonly kind: "share"; readonly value: WrittenNumber }
  | { readonly kind: "boolean" | "word" | "verdict" | "letter"; readonly value: boolean }
  | { readonly kind: "text" | "object" | "undecided" | "none"; readonly value?: undefined };

type Counts = Readonly<Record<Cell["kind"], number>>;

/** How a score is read. */
type ScoreReading = Pick<ColumnFacts, "type" | "hasShares" | "trueValue">;

/** What is known of a column when all of it was read. */
export interface ColumnFacts {
  readonly type: ColumnType;
  /** Whether all cells of a text table, as they stand, are numbers or booleans; for columns that are no scores. */
  readonly isPlain: boolean;
  readonly counts: Counts;
  /** Whether texts such as `4/5` are numbers: no other text is there, and no number above 1. */
  readonly hasShares: boolean;
  /** How often each value that is no number is there; null where there are more than ten. */
  readonly labels: ReadonlyMap<string, number> | null;
  /** The text that is true, where the caller names it; any other is false. */
  readonly trueValue?: string;
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
  /**
   * A number between 0 and 1 and one from 10 to 100 of a column without any other number above 1: shares and
   * percentages?
   */
  readonly scales: readonly [PlacedCell, PlacedCell] | null;
}

/** Kinds of cells that have no value in a column. */
const OTHERS: Readonly<Record<ColumnType, readonly Cell["kind"][]>> = {
  number: ["share", "word", "verdict", "letter", "text", "object", "undecided"],
  boolean: ["number", "share", "text", "object"],
  text: ["object"],
  object: [],
  empty: [],
};

const OTHERS_SHOWN = 3;
/** A column of more values that are no numbers is one of free texts. */
const MOST_LABELS = 10;
/** Characters of a text that messages show. */
export const TEXT_SHOWN = 40;

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
    const truth = TRUTH_WORDS.get(word);
    if (truth !== undefined) return truth;
  }
  if (UNDECIDED.test(text)) return { kind: "undecided" };
  const value = readWritten(text);
  if (value !== null) return { kind: value.form === "share" ? "share" : "number", value };
  return { kind: /^(\{.*\}|\[.*\])$/s.test(text) ? "object" : "text" };
}

/** Something for each kind of cells. */
function perKind<T>(make: () => T): Record<Cell["kind"], T> {
  return {
    number: make(),
    share: make(),
    boolean: make(),
    word: make(),
    verdict: make(),
    letter: make(),
    text: make(),
    object: make(),
    undecided: make(),
    none: make(),
  };
}

/** Numbers that every reader of JSON reads alike. */
const PLAIN: ReadonlySet<NumberForm> = new Set(["whole", "point", "grouped"]);

/** Counts the cells of one column. */
export class ColumnCount {
  readonly #counts = perKind(() => 0);
  readonly #first = perKind((): (PlacedCell & { readonly record: number })[] => []);
  /** Values that are no numbers; null once there are too many of them. */
  #labels: Map<string, number> | null = new Map();
  /** Texts that are labels, as long as these are counted. */
  #others = 0;
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
    if (read.kind === "number" || read.kind === "share") this.#addNumber(read.value, placed);
    if (read.kind !== "number" && this.#labels !== null) this.#addLabel(this.#labels, read.kind, placed.text);
    if (read.kind === "number" || read.kind === "share") return;
    if (read.kind !== "boolean" && !/^(yes|no)$/i.test(placed.text)) this.#isPlain = false;
  }

  #addLabel(labels: Map<string, number>, kind: Cell["kind"], text: string): void {
    labels.set(text, (labels.get(text) ?? 0) + 1);
    if (kind === "text" && !NO_LABEL.test(text)) this.#others++;
    if (labels.size > MOST_LABELS) this.#labels = null;
  }

  #addNumber(value: number | bigint | WrittenNumber, placed: PlacedCell): void {
    const isPercent = typeof value === "object" && value.isPercent;
    if (isPercent) this.#percent ??= placed;
    else if (typeof value !== "object" || value.form !== "share")
      this.#addScale(Number(valueOf(value, "point")), placed);
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
    const { share, text, word, verdict, letter } = counts;
    const hasShares = share > 0 && text + word + verdict + letter === 0 && this.#above1 === null;
    const hasLabels = text > 0 && (this.#labels === null || this.#others > 0);
    const type = typeOf(counts, hasShares, hasLabels);
    const odd = OTHERS[type].filter((kind) => kind !== "share" || !hasShares);
    return {
      type,
      isPlain: this.#isPlain && (counts.number === 0 || counts.boolean + counts.word === 0),
      counts,
      hasShares,
      labels: this.#labels,
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

/**
 * What at least half of the values are; `true` and `false` beside numbers are numbers, verdicts beside other labels
 * labels.
 */
function typeOf(counts: Counts, hasShares: boolean, hasLabels: boolean): ColumnType {
  const { number, share, boolean, word, verdict, letter, text, object, undecided } = counts;
  const decided = number + share + boolean + word + verdict + letter + text + object;
  const half = (decided + undecided) / 2;
  if (half === 0) return "empty";
  const numbers = number + (hasShares ? share : 0);
  if (numbers > 0 && numbers + boolean >= half) return "number";
  const truths = boolean + word + (hasLabels ? 0 : verdict);
  if (decided > 0 && truths + (text === 0 || truths > 0 ? letter : 0) >= decided / 2) return "boolean";
  return object > half ? "object" : "text";
}

function valueOf(value: number | bigint | WrittenNumber, decimal: DecimalSign): number | bigint | null {
  return typeof value === "object" ? valueOfWritten(value, decimal) : value;
}

/** The value of a cell of a score, by the type of its column; null for none, also where it is of another kind. */
export function readScoreValue(
  cell: Json | undefined,
  { type, hasShares, trueValue }: ScoreReading,
  decimal: DecimalSign,
): number | bigint | boolean | string | null {
  const read = readCell(cell);
  if (read.kind === "none" || read.kind === "object") return null;
  if (trueValue !== undefined) return cellText(cell).trim() === trueValue;
  if (type === "text") return cellText(cell).trim();
  if (type === "boolean") return typeof read.value === "boolean" ? read.value : null;
  if (type !== "number" || read.value === undefined) return null;
  if (read.kind === "share" && !hasShares) return null;
  if (typeof read.value !== "boolean") return valueOf(read.value, decimal);
  return read.kind === "boolean" ? Number(read.value) : null;
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
  return readScoreValue(cell, facts, "point") ?? cell;
}
