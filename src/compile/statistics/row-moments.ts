import { NUMBER } from "../../model/score-kind.ts";
import { column, query, type RowOf, select, several } from "../../store/query.ts";
import { constant, identifier, join, sql, type Sql } from "../../store/sql.ts";
import { PERCENTILES } from "../../plan/results.ts";
import type { Plan } from "../../plan/plan.ts";
import { type FixedPoint, scaled } from "../sums/fixed-point.ts";
import { productsOf, sumOfSquares } from "../sums/squares.ts";
import { HALF_BITS, WORD_BITS } from "../sums/words.ts";
import { inKeys } from "../relations/relations.ts";
import { countedValues } from "../scores/counted-trials.ts";
import { type Narrowing, withTables } from "../rows/selected-rows.ts";
import {
  allBut,
  divideIntegers,
  filtered,
  highBits,
  INLINED,
  roundToInteger,
  unnested,
  wide,
  wideSum,
} from "../relations/spelled.ts";
import { fromRecords, rowValues, type ValueScope } from "./row-values.ts";

/**
 * Values fall into buckets of equal width, 2^8 of them up to the largest exponent: few enough for their sums to stay
 * in a processor's cache, and so many that the buckets around a percentile hold a small part of the values.
 */
const BUCKET_SHIFT = WORD_BITS - 8;

const X = productsOf(sql`x`, HALF_BITS);

/** For each percentile of type 7, the 0-based ascending ranks of the two of `n` values that it lies between. */
const RANKS = PERCENTILES.flatMap((percent) => {
  const position = sql`(n - 1) * ${constant(percent)}`;
  return [divideIntegers(sql`(${position})`, sql`100`), divideIntegers(sql`(${position} + 99)`, sql`100`)];
}).map((rank, i) => ({ rank, name: identifier(`rank${i}`) }));

const PLACE = sql`evaluation_key, path_key`;

/** Adds up partial sums of a series. */
const SUMS = sql`sum(n)::BIGINT AS n, ${wideSum(sql`total`)} AS total, ${wideSum(sql`hh`)} AS hh, ${wideSum(sql`hl`)} AS hl, ${wideSum(sql`ll`)} AS ll,
      min(low) AS low, max(high) AS high`;

/** `columns` of `from`, with `upto`: the number of values of this record and those before it in ascending `order`. */
function ranked(columns: Sql, partition: Sql, order: Sql, from: Sql): Sql {
  return sql`SELECT ${columns}, n, (sum(n) OVER (PARTITION BY ${partition} ORDER BY ${order}))::BIGINT AS upto FROM ${from}`;
}

/** The value at each rank, from ascending values with their `upto`. */
function atRanks(values: Sql): Sql[] {
  return RANKS.map(({ name }) => filtered(sql`min(${values})`, sql`upto > ${name}`));
}

const RANKS_OF_PLACES = sql`(SELECT ${allBut(sql`n`)}, n AS rows, ${join(
  RANKS.map(({ rank, name }) => sql`${rank} AS ${name}`),
)} FROM places)`;

/** The value of a column that is equal in all records of a group. */
function anyOf(name: string): Sql {
  return sql`any_value(${identifier(name)})`;
}

/** Reads the tables `places`, with the sums of each series, and `placed`, with values and their `upto`. */
function moments(name: string, scope: ValueScope, tables: readonly Sql[]) {
  const found = select(
    {
      evaluationKey: column.integer(sql`evaluation_key`),
      pathKey: column.integer(sql`path_key`),
      n: column.integer(anyOf("rows")),
      /** Σx and Σx² of the words x. */
      sum: column.bigint(anyOf("total")),
      squares: sumOfSquares({ hh: anyOf("hh"), hl: anyOf("hl"), ll: anyOf("ll") }, HALF_BITS),
      min: column.double(anyOf("low")),
      max: column.double(anyOf("high")),
      /** The values below and above each of {@link PERCENTILES}. */
      around: several(atRanks(sql`value`).map(column.double)),
    },
    sql`
    FROM placed JOIN ${RANKS_OF_PLACES} USING (${PLACE}) GROUP BY ${PLACE}`,
  );
  return query(name, found, sql`${withTables([...scope.narrowing.tables, ...tables])}${found.sql}`);
}

/** Moments of numbers with few distinct values and one trial per row: counts of each number are enough. */
export function compileCountedMoments(plan: Plan, scope: ValueScope, points: readonly FixedPoint[]) {
  const words = sql`SELECT v.evaluation_key, v.path_key, v.value, v.n, ${roundToInteger(scaled(sql`v.value`, points, 1))} AS x
      FROM counted AS v WHERE v.value IS NOT NULL`;
  return moments("counted moments", scope, [
    sql`counted AS MATERIALIZED (SELECT v.evaluation_key, v.path_key, v.number AS value, count(*) AS n
      ${fromRecords(plan, scope)} GROUP BY v.evaluation_key, v.path_key, v.number)`,
    sql`places AS MATERIALIZED (SELECT ${PLACE}, ${SUMS}
      FROM (SELECT ${PLACE}, n, ${wide(sql`x`)} * n AS total, ${wide(sql`(${X.hh})`)} * n AS hh,
        ${wide(sql`(${X.hl})`)} * n AS hl, ${wide(sql`(${X.ll})`)} * n AS ll, value AS low, value AS high FROM (${words}))
      GROUP BY ${PLACE})`,
    sql`placed AS (${ranked(sql`${PLACE}, value`, PLACE, sql`value`, sql`counted WHERE value IS NOT NULL`)})`,
  ]);
}

/**
 * Moments of any numbers. Only the values of the buckets around the percentiles are ranked. For this, row means are
 * materialized; with one trial per row, the trials are read again instead.
 */
export function compileRowMoments(plan: Plan, scope: ValueScope, points: readonly FixedPoint[]) {
  const kept = scope.trialsPerRow > 1 ? sql`MATERIALIZED` : INLINED;
  const bucket = sql`${highBits(sql`x`, BUCKET_SHIFT)} AS bucket`;
  return moments("row moments", scope, [
    sql`row_values AS ${kept} (${rowValues(plan, scope, points)})`,
    sql`buckets AS MATERIALIZED (SELECT ${PLACE}, ${bucket}, count(*) AS n, min(value) AS low, max(value) AS high,
      ${wideSum(sql`x`)} AS total, ${wideSum(X.hh)} AS hh, ${wideSum(X.hl)} AS hl, ${wideSum(X.ll)} AS ll
      FROM row_values GROUP BY ${PLACE}, bucket)`,
    sql`places AS MATERIALIZED (SELECT ${PLACE}, ${SUMS} FROM buckets GROUP BY ${PLACE})`,
    sql`ranked AS MATERIALIZED (${ranked(sql`${PLACE}, bucket`, PLACE, sql`bucket`, sql`buckets`)})`,
    sql`wanted AS MATERIALIZED (SELECT DISTINCT ${PLACE}, ${unnested(sql`[${join(atRanks(sql`bucket`))}]`)} AS bucket
      FROM ranked JOIN ${RANKS_OF_PLACES} USING (${PLACE}) GROUP BY ${PLACE})`,
    sql`near AS (SELECT ${PLACE}, bucket, value, count(*) AS n FROM (SELECT ${PLACE}, value, ${bucket} FROM row_values)
      SEMI JOIN wanted USING (${PLACE}, bucket) GROUP BY ${PLACE}, bucket, value)`,
    sql`inside AS (${ranked(sql`${PLACE}, bucket, value`, sql`${PLACE}, bucket`, sql`value`, sql`near`)})`,
    sql`placed AS (SELECT ${PLACE}, i.value, r.upto - r.n + i.upto AS upto
      FROM inside AS i JOIN ranked AS r USING (${PLACE}, bucket))`,
  ]);
}

/** Samples the first `size` numbers of some series that DuckDB finds. */
export function compileNumberSample(plan: Plan, { places }: ValueScope, size: number) {
  const paths = [...new Set(places.map(({ pathKey }) => pathKey))];
  const evaluations = [...new Set(places.map(({ evaluationKey }) => evaluationKey))];
  const counts = select(
    {
      pathKey: column.integer(sql`path_key`),
      count: column.integer(sql`count(*)`),
      distinct: column.integer(sql`count(DISTINCT number)`),
    },
    sql`
    FROM (SELECT v.path_key, v.number FROM ${countedValues(plan, sql`v`, paths)} WHERE v.kind = ${constant(NUMBER)}
      AND ${inKeys(sql`v.path_key`, paths)} AND ${inKeys(sql`v.evaluation_key`, evaluations)} LIMIT ${constant(size)})
    GROUP BY path_key`,
  );
  return query("number sample", counts);
}

/** Moments and percentiles of the row values of a series. */
export type RowMoments = RowOf<typeof compileRowMoments>;

export function compileTriedRows(evaluationKeys: readonly number[], { tables, selectedJoin }: Narrowing) {
  const counts = select(
    {
      evaluationKey: column.integer(sql`t.evaluation_key`),
      rows: column.integer(sql`count(DISTINCT t.row_key)`),
    },
    sql` FROM trials AS t${selectedJoin} WHERE ${inKeys(sql`t.evaluation_key`, evaluationKeys)} GROUP BY t.evaluation_key`,
  );
  return query("tried rows", counts, sql`${withTables(tables)}${counts.sql}`);
}
