import { constant, EMPTY, join, sql, type Sql } from "../model/sql.ts";
import type { Magnitude, Plan, ScorePath } from "../plan/plan.ts";
import { inKeys, scoreScope } from "./relations.ts";
import { scoreValues } from "./score-records.ts";
import { withTables, type Narrowing } from "./selected-rows.ts";

/**
 * Numbers as whole multiples of a power of two, so that sums of them and of their squares are exact in any order:
 * value · 2^shift, rounded to a word of 62 bits. A number is rounded by at most 2^-62 of the largest one beside it.
 */
export interface FixedPoint {
  /** Of all evaluations, or of one where places of several magnitudes need a shift for each. */
  readonly evaluationKey: number | null;
  readonly pathKey: number;
  readonly shift: number;
}

const WORD_BITS = 61;

/** Beyond such a range of binary exponents one shift for all evaluations would round small numbers too much. */
const SHARED_RANGE = 21;

/** Whether the largest number of each evaluation must be known. */
export function needsMagnitudes({ exponents }: ScorePath): boolean {
  return exponents !== null && exponents.max - exponents.min > SHARED_RANGE;
}

/** Numbers of so few bits are few: they are counted one by one. */
const COUNTED_BITS = 12;

/** Whether the numbers there are whole multiples, by at most 2^{@link COUNTED_BITS}, of one power of two. */
export function isCountable({ exponents }: ScorePath): boolean {
  return exponents !== null && exponents.max - exponents.lowBit < COUNTED_BITS;
}

/** Exact words of countable numbers. */
export function countablePoints(paths: readonly ScorePath[]): FixedPoint[] {
  return paths.map(({ key, exponents }) => ({
    evaluationKey: null,
    pathKey: key,
    shift: -(exponents?.lowBit ?? 0),
  }));
}

/** Words of which `terms` add up within 64 bits. */
export function fixedPoints(
  paths: readonly ScorePath[],
  magnitudes: readonly Magnitude[],
  terms = 1,
): FixedPoint[] {
  const bits = WORD_BITS - Math.ceil(Math.log2(terms));
  return paths.flatMap((path): FixedPoint[] =>
    needsMagnitudes(path)
      ? magnitudes
          .filter((one) => one.pathKey === path.key)
          .map(({ evaluationKey, exponent }) => ({
            evaluationKey,
            pathKey: path.key,
            shift: bits - exponent,
          }))
      : [{ evaluationKey: null, pathKey: path.key, shift: bits - (path.exponents?.max ?? 0) }],
  );
}

/** The shift at a place of an evaluation; 0 where nothing is known of it. */
export function shiftAt(points: readonly FixedPoint[], evaluationKey: number, pathKey: number): number {
  const found = points.find(
    (point) =>
      point.pathKey === pathKey && (point.evaluationKey === null || point.evaluationKey === evaluationKey),
  );
  return found?.shift ?? 0;
}

/** No power of two beyond is a double. */
const MAX_SHIFT = 1000;

/** `number` times (`direction` 1) or divided by (-1) the power of two of its place; columns of the alias `v`. */
function scaled(number: Sql, points: readonly FixedPoint[], direction: 1 | -1): Sql {
  const near = points.map((point) => ({ ...point, shift: Math.min(point.shift, MAX_SHIFT) }));
  const far = points.map((point) => ({ ...point, shift: Math.max(point.shift - MAX_SHIFT, 0) }));
  const factor = (some: readonly FixedPoint[]) =>
    byPlace(some, ({ shift }) => constant(2 ** (direction * shift)));
  const product = sql`${number} * ${factor(near)}`;
  return far.every(({ shift }) => shift === 0) ? product : sql`${product} * ${factor(far)}`;
}

/** A constant for each place. */
function byPlace(points: readonly FixedPoint[], value: (point: FixedPoint) => Sql): Sql {
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

/** One kind of leaf (0 number, 1 boolean) at one place of one evaluation. */
export interface ValuePlace {
  readonly evaluationKey: number;
  readonly pathKey: number;
  readonly kind: number;
}

/** Which values of which rows. Where places share neither kind nor evaluations, more than them may be answered. */
export interface ValueScope {
  readonly places: readonly ValuePlace[];
  /** The most trials that a row has in one of the evaluations. */
  readonly trialsARow: number;
  readonly narrowing: Narrowing;
}

function distinct(keys: readonly number[]): number[] {
  return [...new Set(keys)].toSorted((a, b) => a - b);
}

function fromValues(plan: Plan, { places, narrowing }: ValueScope): Sql {
  const evaluations = distinct(places.map((place) => place.evaluationKey));
  const paths = distinct(places.map((place) => place.pathKey));
  const kinds = distinct(places.map((place) => place.kind));
  return sql`FROM ${scoreValues(plan, sql`v`, paths)}${narrowing.semi}
    WHERE ${inKeys(sql`v.evaluation_key`, evaluations)} AND ${inKeys(sql`v.path_key`, paths)}
    AND ${inKeys(sql`v.kind`, kinds)} AND v.number IS NOT NULL${scoreScope(plan, sql`v`)}`;
}

/** DuckDB groups one place of one evaluation by row in an array; of so many places at most. */
const MOST_PARTS = 250;

/** Trials summed by row: (evaluation_key, path_key, row_key, kind and `columns`). */
function groupedByRow(plan: Plan, scope: ValueScope, columns: Sql): Sql {
  if (scope.places.length > MOST_PARTS) {
    return sql`SELECT v.evaluation_key, v.path_key, v.row_key, v.kind, ${columns} ${fromValues(plan, scope)}
    GROUP BY v.evaluation_key, v.path_key, v.row_key, v.kind`;
  }
  const parts = scope.places.map((place) => {
    const { evaluationKey, pathKey, kind } = place;
    return sql`SELECT ${constant(evaluationKey)} AS evaluation_key, ${constant(pathKey)} AS path_key, v.row_key,
    ${constant(kind)} AS kind, ${columns} ${fromValues(plan, { ...scope, places: [place] })} GROUP BY v.row_key`;
  });
  return join(parts, sql` UNION ALL `);
}

/**
 * (evaluation_key, path_key, row_key, x, value, trials): one record a row and place: the mean of its trials as a
 * fixed-point word and as a double. With several trials a row their words are added up exactly and divided once.
 */
export function rowValues(plan: Plan, scope: ValueScope, points: readonly FixedPoint[]): Sql {
  const word = sql`CAST(${scaled(sql`v.number`, points, 1)} AS BIGINT)`;
  if (scope.trialsARow <= 1) {
    return sql`SELECT v.evaluation_key, v.path_key, v.row_key, ${word} AS x, v.number AS value, 1 AS trials
    ${fromValues(plan, scope)}`;
  }
  const sums = sql`sum(${word})::BIGINT // count(*) AS x, min(v.number) AS low, max(v.number) AS high, count(*) AS trials`;
  return sql`SELECT v.evaluation_key, v.path_key, v.row_key, v.x, v.trials,
    CASE WHEN v.low = v.high THEN v.low ELSE ${scaled(sql`v.x::DOUBLE`, points, -1)} END AS value
    FROM (${groupedByRow(plan, scope, sums)}) AS v`;
}

/** (evaluation_key, path_key, word, its value, rows): what few distinct words are best counted as. One trial a row. */
export function wordCounts(plan: Plan, scope: ValueScope, points: readonly FixedPoint[]): Sql {
  return sql`SELECT v.evaluation_key, v.path_key, v.x, ${scaled(sql`v.x`, points, -1)} AS value, v.n
    FROM (SELECT v.evaluation_key, v.path_key, CAST(${scaled(sql`v.number`, points, 1)} AS INTEGER) AS x, count(*) AS n
      ${fromValues(plan, scope)} GROUP BY v.evaluation_key, v.path_key, x) AS v`;
}

/**
 * (evaluation_key, path_key, kind, trials, total, least, rows): how many rows have so many trials that add up to so
 * much, with this least one.
 */
export function compileRowTallies(plan: Plan, scope: ValueScope): Sql {
  const tables = withTables(scope.narrowing.tables);
  if (scope.trialsARow <= 1) {
    return sql`${tables}SELECT v.evaluation_key, v.path_key, v.kind, 1, v.number, v.number, count(*) ${fromValues(plan, scope)}
    GROUP BY v.evaluation_key, v.path_key, v.kind, v.number`;
  }
  const sums = sql`count(*) AS trials, sum(v.number) AS total, min(v.number) AS least`;
  return sql`${tables}SELECT evaluation_key, path_key, kind, trials, total, least, count(*)
    FROM (${groupedByRow(plan, scope, sums)}) GROUP BY evaluation_key, path_key, kind, trials, total, least`;
}

/** (evaluation_key, path_key, largest absolute number). */
export function compileMagnitudes(plan: Plan, scope: ValueScope): Sql {
  const tables = withTables(scope.narrowing.tables);
  return sql`${tables}SELECT v.evaluation_key, v.path_key, max(abs(v.number)) ${fromValues(plan, scope)}
    GROUP BY v.evaluation_key, v.path_key`;
}
