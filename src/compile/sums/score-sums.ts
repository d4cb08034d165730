import { column, nullable, together, type ResultColumn } from "../../store/query.ts";
import { constant, EMPTY, join, sql, type Sql } from "../../store/sql.ts";
import type { Exponents, ScorePath } from "../../plan/plan.ts";
import { addsUpPlainly, twoWordShift } from "./exact-mean.ts";
import { roundToInteger, wideSum, wide, exactSum, named, nothing } from "../relations/spelled.ts";
import { DOUBLE_BITS, LOW_BITS, MAX_SHIFT, PRECISION_BITS, WORD_BITS } from "./words.ts";

/*
 * Sums of score values. Means that are computed from them are off by at most 1e-12 of the mean of the absolute values.
 * value · 2^k is rounded to an integer: each non-zero value is then off by at most 2^-(k+1), which is below 2^-41 of it
 * when k >= 40 - its exponent; and it fits a word when k <= 61 - the largest exponent.
 */

/** A sum as read from a record: words, low words (null where a value is one word), or the sum itself. */
export interface SumParts {
  readonly words: bigint | null;
  readonly low: bigint | null;
  readonly plain: number | null;
}

/** The sum to compute for some dimensions. */
interface SumScale {
  /** null means all dimensions. */
  readonly paths: readonly ScorePath[] | null;
  readonly sum: ResultColumn<SumParts>;
}

export interface ScoreSumming {
  readonly scales: readonly SumScale[];
  /** Whether sums over disjoint sets of rows can be added without rounding. */
  readonly addsUp: boolean;
  /** Converts the sum of a dimension to a number. */
  readonly total: (pathKey: number, parts: SumParts) => number;
}

/** The names of the columns of a sum. */
export const SUM_NAMES = ["words", "low", "plain"] as const;

/** The columns of a record without a sum, with their names. */
export const NO_SUM = sumColumn(
  named(nothing("HUGEINT"), sql`words`),
  named(nothing("HUGEINT"), sql`low`),
  named(nothing("DOUBLE"), sql`plain`),
);

const NO_WORDS = wide(sql`NULL`);

/**
 * Chooses how to sum: plain sums where all dimensions allow them; else one word for each value in as many dimensions as
 * possible, two words in others, and digits in the rest.
 */
export function scoreSumming(paths: readonly ScorePath[]): ScoreSumming {
  const shifts = new Map(paths.map(({ key }) => [key, 0]));
  return {
    scales: scalesOf(paths, shifts),
    addsUp:
      paths.every((path) => addsUpPlainly(path.exponents)) ||
      !paths.some((path) => methodOf(path) === "digits"),
    total: (pathKey, parts) => totalOf(parts, shifts.get(pathKey)),
  };
}

/** Fills `shifts` with the exponents of the powers of two that sums of words must be divided by. */
function scalesOf(paths: readonly ScorePath[], shifts: Map<number, number>): SumScale[] {
  if (paths.length === 0) return [];
  if (paths.every((path) => addsUpPlainly(path.exponents))) {
    return [{ paths: null, sum: sumColumn(NO_WORDS, NO_WORDS, sql`sum(v.number)`) }];
  }
  const [one = [], two = [], digits = []] = ["one", "two", "digits"].map((method) =>
    paths.filter((path) => methodOf(path) === method),
  );
  const alone = two.length === 0 && digits.length === 0;
  return [
    ...(one.length === 0 ? [] : [{ paths: alone ? null : one, sum: oneWord(one, shifts) }]),
    ...two.map((path) => ({ paths: [path], sum: twoWords(path, shifts) })),
    ...digits.map((path) => ({
      paths: [path],
      sum: sumColumn(NO_WORDS, NO_WORDS, exactSum(sql`v.number`)),
    })),
  ];
}

function sumColumn(words: Sql, low: Sql, plain: Sql, value?: Sql): ResultColumn<SumParts> {
  const parts = {
    words: nullable(column.bigint(words)),
    low: nullable(column.bigint(low)),
    plain: nullable(column.double(plain)),
  };
  return together<SumParts>(parts, value);
}

/** A sum of words. */
export function wordsColumn(words: Sql): ResultColumn<SumParts> {
  return sumColumn(wide(words), NO_WORDS, sql`NULL::DOUBLE`);
}

function oneWord(paths: readonly ScorePath[], shifts: Map<number, number>): ResultColumn<SumParts> {
  const shared = groups(paths);
  for (const { paths: own, shift } of shared) for (const { key } of own) shifts.set(key, shift);
  return wordsColumn(wideSum(roundToInteger(sql`v.number * ${scaleCase(shared)}`)));
}

function twoWords({ key, exponents }: ScorePath, shifts: Map<number, number>): ResultColumn<SumParts> {
  const shift = exponents === null ? 0 : twoWordShift(exponents);
  shifts.set(key, shift + LOW_BITS);
  const scale = constant(2 ** shift);
  const high = sql`trunc(v.number * ${scale})`;
  const words = wide(wideSum(roundToInteger(high)));
  const rest = sql`(v.number * ${scale} - ${high}) * ${constant(2 ** LOW_BITS)}`;
  const low = wide(wideSum(roundToInteger(rest)));
  const plain = sql`NULL::DOUBLE`;
  return sumColumn(words, low, plain, sql`${words},\n        ${low}, ${plain}`);
}

function totalOf({ words, low, plain }: SumParts, shift: number | undefined): number {
  if (shift === undefined) throw new RangeError("a sum of a place that was not asked for");
  if (plain !== null) return plain;
  const total = low === null ? (words ?? 0n) : ((words ?? 0n) << BigInt(LOW_BITS)) + low;
  // Rounds once; two factors, because 2^-shift may not be a double.
  const half = Math.trunc(shift / 2);
  return Number(total) * 2 ** -half * 2 ** -(shift - half);
}

function methodOf({ exponents }: ScorePath): "one" | "two" | "digits" {
  if (exponents === null) return "one";
  const { least, most } = shiftRange(exponents);
  if (least <= most && Math.abs(most) < MAX_SHIFT && Math.abs(least) < MAX_SHIFT) return "one";
  return exponents.max - exponents.lowBit + 1 < DOUBLE_BITS + LOW_BITS &&
    Math.abs(twoWordShift(exponents)) < MAX_SHIFT
    ? "two"
    : "digits";
}

interface ShiftRange {
  readonly least: number;
  readonly most: number;
}

function shiftRange({ max, min }: Exponents): ShiftRange {
  return { least: PRECISION_BITS - min - 1, most: WORD_BITS - max };
}

/** Dimensions that share a shift. */
interface Group {
  readonly paths: ScorePath[];
  readonly shift: number;
}

const ANY_SHIFT: ShiftRange = { least: -MAX_SHIFT, most: MAX_SHIFT };

/**
 * Groups dimensions that can share a shift, greedily by the largest shift that they allow. The shift of the first
 * dimension suits its whole group.
 */
function groups(paths: readonly ScorePath[]): Group[] {
  const result: (Group & { readonly most: number })[] = [];
  const ranges = paths.map((path) => ({
    path,
    ...(path.exponents === null ? ANY_SHIFT : shiftRange(path.exponents)),
  }));
  for (const { path, least, most } of ranges.toSorted((a, b) => a.most - b.most || a.path.key - b.path.key)) {
    const last = result.at(-1);
    if (last !== undefined && least <= last.most) last.paths.push(path);
    else result.push({ paths: [path], shift: most >= MAX_SHIFT ? 0 : most, most });
  }
  return result;
}

function scaleCase(all: readonly Group[]): Sql {
  const [first, ...rest] = all;
  const otherwise = constant(2 ** (first?.shift ?? 0));
  if (rest.length === 0) return otherwise;
  const whens = rest.map(
    ({ paths, shift }) =>
      sql` WHEN v.path_key IN (${join(
        paths.map((path) => constant(path.key)),
      )}) THEN ${constant(2 ** shift)}`,
  );
  return sql`(CASE${join(whens, EMPTY)} ELSE ${otherwise} END)`;
}
