import { nameList } from "../../../model/messages.ts";
import { textOf } from "./cells.ts";
import type { NamedRoles } from "./find-roles.ts";
import { ambiguous } from "./given-texts.ts";
import { fitsOne, plainName } from "./guess-names.ts";
import type { TableReader } from "./readers/table-reader.ts";
import { namesOf } from "./roles.ts";
import { cellHash, runOf } from "./survey.ts";

/** What tells apart the records of one row and model. */
export interface Factors {
  /** Columns whose values are evaluations of their own, and the values of each. */
  readonly evaluation: readonly string[];
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** Columns that name who gave the scores. */
  readonly rater: readonly string[];
  /** Columns that number the trials of a row, besides those that are named so. */
  readonly trial: readonly string[];
  /** Columns in which records of one row differ, and whose values are too many to be evaluations. */
  readonly notes: readonly string[];
  /** Whether records of one row are left that nothing tells apart but their order. */
  readonly hasRepeats: boolean;
  /** Refuses columns that tell repeats apart and are nothing that is known. Throws {@link SourceFault}. */
  readonly checkOthers: (columns: readonly string[]) => void;
}

export const NO_FACTORS: Factors = {
  evaluation: [],
  values: new Map(),
  rater: [],
  trial: [],
  notes: [],
  hasRepeats: false,
  checkOthers: () => {},
};

const SETTINGS = namesOf("settings", "evaluation");
const CONFIGURATIONS = [...namesOf("differing", "evaluation"), ...SETTINGS];
const RATERS = namesOf("differing", "rater");
/** What `source` holds where it names raters. */
const RATER_KINDS: ReadonlySet<string> = new Set("eval annotation api human llm judge model user".split(" "));

const isRater = (column: string) => fitsOne(plainName(column), RATERS);

/** Whether a column may tell apart the records of a row, by its name. */
export function isFactor(column: string): boolean {
  return isRater(column) || fitsOne(plainName(column), CONFIGURATIONS);
}

/** Reads the records of a table once more for what tells apart those of one row and model. */
export async function findFactors(
  reader: TableReader,
  roles: NamedRoles,
  open: readonly string[],
): Promise<Factors> {
  const grid = new Grid([...open, ...roles.trial]);
  for await (const record of reader.records())
    if (record.fault === undefined)
      grid.add(runOf(reader.columns, record, roles), (column) => textOf(reader.columns, record, column));
  const named = open.filter(isFactor);
  const isNumber = (column: string) => plainName(column) === "k" && grid.countsUp(column);
  const isByRater = (column: string) =>
    isRater(column) && (plainName(column) !== "source" || grid.isAmong(column, RATER_KINDS));
  const evaluation = grid.acting(inOrder(named.filter((one) => !isByRater(one) && !isNumber(one))));
  const apart = grid.dividedBy(evaluation);
  const rater = apart.acting(named.filter(isByRater));
  const ofTrial = named.filter((column) => isNumber(column) && !apart.isConstant(column));
  const rest = apart.dividedBy([...rater, ...roles.trial, ...ofTrial]);
  return {
    evaluation,
    values: new Map(evaluation.map((column) => [column, grid.valuesOf(column)])),
    rater,
    trial: ofTrial,
    notes: named
      .filter((column) => ![...evaluation, ...rater, ...ofTrial].includes(column) && !rest.isConstant(column))
      .map((column) => differing(column, grid.valuesOf(column))),
    hasRepeats: rest.hasRepeats,
    checkOthers: (columns) => {
      for (const column of columns.filter((one) => !named.includes(one))) rest.checkFactor(column);
    },
  };
}

function differing(column: string, values: readonly string[]): string {
  return `records of one row differ in ${column} (${nameList(values)}): --evaluation-column ${column} makes an evaluation of each`;
}

/** The columns in the order in which their names are listed. */
function inOrder(columns: readonly string[]): string[] {
  return columns.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function placeOf(column: string): number {
  return CONFIGURATIONS.findIndex((pattern) => fitsOne(plainName(column), [pattern]));
}

/** Texts as numbers: in their order, or, where only equality counts, as hashes, of which the first texts are kept. */
class Texts {
  readonly numbers = new Map<string, number>();
  readonly #isExact: boolean;

  constructor(isExact: boolean) {
    this.#isExact = isExact;
  }

  numberOf(text: string): number {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    const number = this.#isExact ? this.numbers.size : cellHash(text);
    if (this.#isExact || this.numbers.size < TEXTS_KEPT) this.numbers.set(text, number);
    return number;
  }

  textOf(number: number): string {
    return [...this.numbers].find(([, one]) => one === number)?.[0] ?? "";
  }
}

const TEXTS_KEPT = 1000;
const NOTHING = { texts: new Texts(true), values: [] };

/** The values of some columns, and the row and model of each record; each text is there once. */
class Grid {
  readonly #columns: ReadonlyMap<string, { readonly texts: Texts; readonly values: number[] }>;
  readonly #groupTexts = new Texts(true);
  readonly #groups: number[];

  constructor(columns: readonly string[] | Grid, groups: number[] = []) {
    this.#columns =
      columns instanceof Grid
        ? columns.#columns
        : new Map(columns.map((column) => [column, { texts: new Texts(isFactor(column)), values: [] }]));
    this.#groups = groups;
  }

  add(group: string, textOfColumn: (column: string) => string): void {
    this.#groups.push(this.#groupTexts.numberOf(group));
    for (const [column, { texts, values }] of this.#columns)
      values.push(texts.numberOf(textOfColumn(column)));
  }

  #of(column: string) {
    return this.#columns.get(column) ?? NOTHING;
  }

  /** The same records, of which those of a group differ in none of these columns. */
  dividedBy(columns: readonly string[]): Grid {
    const texts = new Texts(true);
    const all = columns.map((column) => this.#of(column).values);
    const key = (group: number, i: number) => [group, ...all.map((values) => values[i])].join();
    return new Grid(
      this,
      this.#groups.map((group, i) => texts.numberOf(key(group, i))),
    );
  }

  isConstant(column: string): boolean {
    const first: number[] = [];
    const { values } = this.#of(column);
    return this.#groups.every((group, i) => (first[group] ??= values[i] ?? 0) === values[i]);
  }

  /**
   * Those in which records of a group differ, and that have fewer values than there are records; of several that go
   * together one to one, the first.
   */
  acting(columns: readonly string[]): string[] {
    const acting: string[] = [];
    for (const column of columns) {
      const { size } = this.#of(column).texts.numbers;
      if (size >= this.#groups.length || this.isConstant(column)) continue;
      if (!acting.some((other) => this.#goTogether(column, other))) acting.push(column);
    }
    return acting;
  }

  #goTogether(one: string, other: string): boolean {
    const [a, b] = [this.#of(one), this.#of(other)];
    const pairs = new Set(a.values.map((value, i) => `${value},${b.values[i]}`));
    return pairs.size === a.texts.numbers.size && pairs.size === b.texts.numbers.size;
  }

  valuesOf(column: string): string[] {
    return [...this.#of(column).texts.numbers.keys()];
  }

  isAmong(column: string, words: ReadonlySet<string>): boolean {
    return this.valuesOf(column).every((value) => words.has(value.toLowerCase()));
  }

  get hasRepeats(): boolean {
    return new Set(this.#groups).size < this.#groups.length;
  }

  /** The distinct values of each group of several records, and how many records it has. */
  #byGroup(column: string): (readonly [records: number, values: ReadonlySet<number>])[] {
    const groups: { records: number; readonly values: Set<number> }[] = [];
    const { values } = this.#of(column);
    for (const [i, group] of this.#groups.entries()) {
      const found = (groups[group] ??= { records: 0, values: new Set() });
      found.records++;
      found.values.add(values[i] ?? 0);
    }
    return groups.filter(({ records }) => records > 1).map(({ records, values: all }) => [records, all]);
  }

  /** Whether the values in every row are 0, 1, 2, … or 1, 2, 3, … */
  countsUp(column: string): boolean {
    const { texts } = this.#of(column);
    return this.#byGroup(column).every(([, values]) => {
      const numbers = [...values]
        .map((one) => Number(texts.textOf(one) || Number.NaN))
        .toSorted((a, b) => a - b);
      return [0, 1].some((begin) => numbers.every((number, i) => number === begin + i));
    });
  }

  /**
   * Refuses a column that tells repeats apart: all records of each group differ in it, and most groups have the same
   * values.
   */
  checkFactor(column: string): void {
    const groups = this.#byGroup(column);
    if (groups.length < 2 || groups.some(([records, values]) => values.size < records)) return;
    const counts = new Map<string, number>();
    for (const [, values] of groups) {
      const key = [...values].toSorted((a, b) => a - b).join();
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const [key, most] = [...counts].toSorted((a, b) => b[1] - a[1])[0] ?? ["", 0];
    if (most < 2 || most * 2 <= groups.length) return;
    const { texts } = this.#of(column);
    const shown = key.split(",").map((value) => texts.textOf(Number(value)));
    throw ambiguous(
      `each row stands ${timesOf(shown.length)}, once for each value of ${column} (${nameList(shown)}): say what it is with ` +
        `--evaluation-column ${column}, --trial-column ${column} or --rater-column ${column}`,
    );
  }
}

function timesOf(count: number): string {
  return count === 2 ? "twice" : `${count} times`;
}
