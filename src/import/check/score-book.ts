import { isJsonObject, type Json } from "../../model/json.ts";

/** The values of one dimension in one evaluation, trial by trial. */
export interface DimensionValues {
  /** The row of each value. */
  readonly rows: readonly number[];
  /** The values as numbers; booleans count 1 and 0, NaN stands for no value, also for a text. */
  readonly values: readonly number[];
  /** How many of the values are texts. */
  readonly texts: number;
}

/** The scores of the imported trials, from which the figures that a log states are computed again. */
export interface ScoreBook {
  readonly add: (evaluation: string, row: string, scores: { readonly [key: string]: Json }) => void;
  /** Null for a dimension that no trial has. */
  readonly find: (evaluation: string, path: readonly string[]) => DimensionValues | null;
  /** Adds to a sum that is no score, such as how many trials passed. */
  readonly count: (evaluation: string, name: string, by?: number) => void;
  /** 0 for a sum of nothing. */
  readonly counted: (evaluation: string, name: string) => number;
}

/** For sources that state no figures. */
export const NO_BOOK: ScoreBook = { add: () => {}, find: () => null, count: () => {}, counted: () => 0 };

interface Growing {
  readonly rows: number[];
  readonly values: number[];
  texts: number;
}

export function createScoreBook(): ScoreBook {
  const dimensions = new Map<string, Growing>();
  const rowNumbers = new Map<string, number>();
  const sums = new Map<string, number>();
  const add = (evaluation: string, row: number, path: readonly string[], value: Json) => {
    if (isJsonObject(value)) {
      for (const [name, member] of Object.entries(value)) add(evaluation, row, [...path, name], member);
      return;
    }
    const key = JSON.stringify([evaluation, ...path]);
    let found = dimensions.get(key);
    if (found === undefined) dimensions.set(key, (found = { rows: [], values: [], texts: 0 }));
    found.rows.push(row);
    found.values.push(numberOf(value));
    if (typeof value === "string") found.texts++;
  };
  return {
    add: (evaluation, row, scores) => {
      const number = rowNumbers.get(row) ?? rowNumbers.size;
      rowNumbers.set(row, number);
      for (const [name, value] of Object.entries(scores)) add(evaluation, number, [name], value);
    },
    find: (evaluation, path) => dimensions.get(JSON.stringify([evaluation, ...path])) ?? null,
    count: (evaluation, name, by = 1) => {
      const key = JSON.stringify([evaluation, name]);
      sums.set(key, (sums.get(key) ?? 0) + by);
    },
    counted: (evaluation, name) => sums.get(JSON.stringify([evaluation, name])) ?? 0,
  };
}

function numberOf(value: Json): number {
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : Number.NaN;
}

/** The numbers of a score in one evaluation; none where no trial has it. */
export function numbersAt(book: ScoreBook, evaluation: string, key: string): number[] {
  return book.find(evaluation, [key])?.values.filter((value) => !Number.isNaN(value)) ?? [];
}

/** The values of each row that has one, in the order of the rows. */
export function valuesByRow({ rows, values }: DimensionValues): number[][] {
  const byRow = new Map<number, number[]>();
  for (const [i, row] of rows.entries()) {
    const value = values[i] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    const found = byRow.get(row);
    if (found === undefined) byRow.set(row, [value]);
    else found.push(value);
  }
  return [...byRow.values()];
}
