import { constant, EMPTY, join, sql, type Sql } from "../../store/sql.ts";
import type { Exponents, Magnitude, ScorePath } from "../../plan/plan.ts";
import { roundToInteger, wideSum } from "../relations/spelled.ts";
import { addsUpPlainly } from "./exact-mean.ts";
import { MAX_SHIFT, WORD_BITS } from "./words.ts";

/**
 * Numbers as integer multiples of a power of two, so that sums of them and of their squares are exact in any order:
 * value · 2^shift, rounded to a word of 62 bits. A number is rounded by at most 2^-62 of the largest one that shares
 * its shift.
 */
export interface FixedPoint {
  /** null for all evaluations; else one evaluation, where magnitudes differ so much that each needs its own shift. */
  readonly evaluationKey: number | null;
  readonly pathKey: number;
  readonly shift: number;
  /** Binary exponents of the numbers of the dimension. */
  readonly exponents: Exponents | null;
}

/** Beyond this range of binary exponents, one shift for all evaluations would round small numbers too much. */
const SHARED_RANGE = 21;

/** Whether the shift needs the largest number of each evaluation. */
export function needsMagnitudes({ exponents }: ScorePath): boolean {
  return exponents !== null && exponents.max - exponents.min > SHARED_RANGE;
}

/** Numbers of this many bits have few distinct values, so each is counted. */
const COUNTED_BITS = 12;

/** Whether all numbers are multiples of one power of two, by integers up to 2^{@link COUNTED_BITS}. */
export function isCountable({ exponents }: ScorePath): boolean {
  return exponents !== null && exponents.max - exponents.lowBit < COUNTED_BITS;
}

/** Points that make words of countable numbers exact. */
export function countablePoints(paths: readonly ScorePath[]): FixedPoint[] {
  return paths.map(({ key, exponents }) => ({
    evaluationKey: null,
    pathKey: key,
    shift: -(exponents?.lowBit ?? 0),
    exponents,
  }));
}

/** Bits of a word of which `terms` fit 64 bits together. */
export function bitsOf(terms: number): number {
  return WORD_BITS - Math.ceil(Math.log2(terms));
}

/** Points such that the sum of any `terms` words fits 64 bits. */
export function fixedPoints(
  paths: readonly ScorePath[],
  magnitudes: readonly Magnitude[],
  terms = 1,
): FixedPoint[] {
  const bits = bitsOf(terms);
  return paths.flatMap((path): FixedPoint[] =>
    needsMagnitudes(path)
      ? magnitudes
          .filter((one) => one.pathKey === path.key)
          .map(({ evaluationKey, exponent }) => ({
            evaluationKey,
            pathKey: path.key,
            shift: bits - exponent,
            exponents: path.exponents,
          }))
      : [
          {
            evaluationKey: null,
            pathKey: path.key,
            shift: bits - (path.exponents?.max ?? 0),
            exponents: path.exponents,
          },
        ],
  );
}

/** The points of a series. */
export function pointsAt(
  points: readonly FixedPoint[],
  evaluationKey: number,
  pathKey: number,
): readonly FixedPoint[] {
  return points.filter(
    (point) =>
      point.pathKey === pathKey && (point.evaluationKey === null || point.evaluationKey === evaluationKey),
  );
}

/** The shift of a series; 0 where it has no point. */
export function shiftAt(points: readonly FixedPoint[], evaluationKey: number, pathKey: number): number {
  return pointsAt(points, evaluationKey, pathKey)[0]?.shift ?? 0;
}

/** Whether words of this point are exact, not rounded. */
export function isExact({ exponents, shift }: FixedPoint): boolean {
  return exponents === null || exponents.lowBit + shift >= 0;
}

/** The sum of the words of `v.number` over a group. */
export function wordSum(points: readonly FixedPoint[]): Sql {
  return points.every((point) => isExact(point) && addsUpPlainly(point.exponents))
    ? roundToInteger(scaled(sql`sum(v.number)`, points, 1))
    : sql`${wideSum(roundToInteger(scaled(sql`v.number`, points, 1)))}::BIGINT`;
}

/** `number` times (`direction` 1) or divided by (-1) the power of two of its series; columns of the alias `v`. */
export function scaled(number: Sql, points: readonly FixedPoint[], direction: 1 | -1): Sql {
  const near = points.map((point) => ({ ...point, shift: Math.min(point.shift, MAX_SHIFT) }));
  const far = points.map((point) => ({ ...point, shift: Math.max(point.shift - MAX_SHIFT, 0) }));
  const factor = (some: readonly FixedPoint[]) =>
    byDimension(some, ({ shift }) => constant(2 ** (direction * shift)));
  const product = sql`${number} * ${factor(near)}`;
  return far.every(({ shift }) => shift === 0) ? product : sql`${product} * ${factor(far)}`;
}

/** The constant of the series of a record: a CASE unless all are equal. */
function byDimension(points: readonly FixedPoint[], value: (point: FixedPoint) => Sql): Sql {
  const [first, ...rest] = points;
  if (first === undefined) return constant(0);
  if (rest.every((point) => point.shift === first.shift)) return value(first);
  const whens = points.map((point) => {
    const own =
      point.evaluationKey === null ? EMPTY : sql` AND v.evaluation_key = ${constant(point.evaluationKey)}`;
    return sql` WHEN v.path_key = ${constant(point.pathKey)}${own} THEN ${value(point)}`;
  });
  return sql`(CASE${join(whens, EMPTY)} END)`;
}
