import { constant, identifier, join, sql, type Sql } from "../../store/sql.ts";
import { PERCENTILES } from "../../plan/percentiles.ts";
import type { Plan } from "../../plan/plan.ts";
import { scaled, type FixedPoint } from "../sums/fixed-point.ts";
import { inKeys } from "../relations/relations.ts";
import { fromRecords, rowValues, type ValueScope } from "./row-values.ts";
import { scoreValues } from "../scores/score-records.ts";
import { withTables } from "../rows/selected-rows.ts";

/**
 * Values fall into buckets of equal width, 2^8 of them up to the largest exponent: few enough for their sums to stay
 * in a processor's cache, and enough that those around a percentile hold a small part of the values.
 */
const BUCKET_SHIFT = 53;

const HALF_WORD = 31;
const HIGH = sql`(x >> ${constant(HALF_WORD)})`;
const LOW = sql`(x & ${constant(2 ** HALF_WORD - 1)})`;

/** The 0-based ranks, in ascending order, of the two of `n` values that each percentile of type 7 lies between. */
const RANKS = PERCENTILES.flatMap((percent) => {
  const position = sql`(n - 1) * ${constant(percent)}`;
  return [sql`(${position}) // 100`, sql`(${position} + 99) // 100`];
}).map((rank, i) => ({ rank, name: identifier(`rank${i}`) }));

/** How many columns each record of moments has before the values at the ranks. */
export const MOMENT_COLUMNS = 9;

const PLACE = sql`evaluation_key, path_key`;

/** The sums of a place from relations that have sums of some of its values each. */
const SUMS = sql`sum(n)::BIGINT AS n, sum(total) AS total, sum(hh) AS hh, sum(hl) AS hl, sum(ll) AS ll,
      min(low) AS low, max(high) AS high`;

/** In ascending order, `columns` with how many values each and those before it stand for, of the relation `from`. */
function ranked(columns: Sql, partition: Sql, order: Sql, from: Sql): Sql {
  return sql`SELECT ${columns}, n, (sum(n) OVER (PARTITION BY ${partition} ORDER BY ${order}))::BIGINT AS upto FROM ${from}`;
}

/** Of an ascending column beside `upto`, what stands at each rank. */
function atRanks(column: Sql): Sql {
  return join(
    RANKS.map(({ name }) => sql`min(${column}) FILTER (upto > ${name})`),
    sql`, `,
  );
}

const RANKS_OF_PLACES = sql`(SELECT * EXCLUDE (n), n AS rows, ${join(
  RANKS.map(({ rank, name }) => sql`${rank} AS ${name}`),
  sql`, `,
)} FROM places)`;

/**
 * (evaluation_key, path_key, rows, Σx, Σ high², Σ high·low, Σ low², min, max), x = high · 2^31 + low, then the values
 * at the ranks, from `places` with the sums of each and `placed` with values and how many are up to each.
 */
function moments(scope: ValueScope, tables: readonly Sql[]): Sql {
  const sums = ["rows", "total", "hh", "hl", "ll", "low", "high"].map(
    (name) => sql`any_value(${identifier(name)})`,
  );
  return sql`${withTables([...scope.narrowing.tables, ...tables])}SELECT ${PLACE}, ${join(sums, sql`, `)},
      ${atRanks(sql`value`)}
    FROM placed JOIN ${RANKS_OF_PLACES} USING (${PLACE}) GROUP BY ${PLACE}`;
}

/** Moments of numbers of which few are distinct, one trial a row: how often each occurs says all. */
export function compileCountedMoments(plan: Plan, scope: ValueScope, points: readonly FixedPoint[]): Sql {
  const words = sql`SELECT v.evaluation_key, v.path_key, v.value, v.n, CAST(${scaled(sql`v.value`, points, 1)} AS BIGINT) AS x
      FROM counted AS v WHERE v.value IS NOT NULL`;
  return moments(scope, [
    sql`counted AS MATERIALIZED (SELECT v.evaluation_key, v.path_key, v.number AS value, count(*) AS n
      ${fromRecords(plan, scope)} GROUP BY v.evaluation_key, v.path_key, v.number)`,
    sql`places AS MATERIALIZED (SELECT ${PLACE}, ${SUMS}
      FROM (SELECT ${PLACE}, n, x::HUGEINT * n AS total, (${HIGH} * ${HIGH})::HUGEINT * n AS hh,
        (${HIGH} * ${LOW})::HUGEINT * n AS hl, (${LOW} * ${LOW})::HUGEINT * n AS ll, value AS low, value AS high FROM (${words}))
      GROUP BY ${PLACE})`,
    sql`placed AS (${ranked(sql`${PLACE}, value`, PLACE, sql`value`, sql`counted WHERE value IS NOT NULL`)})`,
  ]);
}

/**
 * Moments of any numbers. Only the buckets around the percentiles are looked into; row means are kept for that, and
 * single trials read again.
 */
export function compileRowMoments(plan: Plan, scope: ValueScope, points: readonly FixedPoint[]): Sql {
  const kept = scope.trialsARow > 1 ? sql`MATERIALIZED` : sql`NOT MATERIALIZED`;
  const bucket = sql`x >> ${constant(BUCKET_SHIFT)} AS bucket`;
  return moments(scope, [
    sql`row_values AS ${kept} (${rowValues(plan, scope, points)})`,
    sql`buckets AS MATERIALIZED (SELECT ${PLACE}, ${bucket}, count(*) AS n, min(value) AS low, max(value) AS high,
      sum(x) AS total, sum(${HIGH} * ${HIGH}) AS hh, sum(${HIGH} * ${LOW}) AS hl, sum(${LOW} * ${LOW}) AS ll
      FROM row_values GROUP BY ${PLACE}, bucket)`,
    sql`places AS MATERIALIZED (SELECT ${PLACE}, ${SUMS} FROM buckets GROUP BY ${PLACE})`,
    sql`ranked AS MATERIALIZED (${ranked(sql`${PLACE}, bucket`, PLACE, sql`bucket`, sql`buckets`)})`,
    sql`wanted AS MATERIALIZED (SELECT DISTINCT ${PLACE}, unnest([${atRanks(sql`bucket`)}]) AS bucket
      FROM ranked JOIN ${RANKS_OF_PLACES} USING (${PLACE}) GROUP BY ${PLACE})`,
    sql`near AS (SELECT ${PLACE}, bucket, value, count(*) AS n FROM (SELECT ${PLACE}, value, ${bucket} FROM row_values)
      SEMI JOIN wanted USING (${PLACE}, bucket) GROUP BY ${PLACE}, bucket, value)`,
    sql`inside AS (${ranked(sql`${PLACE}, bucket, value`, sql`${PLACE}, bucket`, sql`value`, sql`near`)})`,
    sql`placed AS (SELECT ${PLACE}, i.value, r.upto - r.n + i.upto AS upto
      FROM inside AS i JOIN ranked AS r USING (${PLACE}, bucket))`,
  ]);
}

/** (path_key, numbers, distinct ones) among the first `size` numbers of some places that DuckDB comes by. */
export function compileNumberSample(plan: Plan, { places }: ValueScope, size: number): Sql {
  const paths = [...new Set(places.map(({ pathKey }) => pathKey))];
  const evaluations = [...new Set(places.map(({ evaluationKey }) => evaluationKey))];
  return sql`SELECT path_key, count(*), count(DISTINCT number)
    FROM (SELECT v.path_key, v.number FROM ${scoreValues(plan, sql`v`, paths)} WHERE v.kind = 0
      AND ${inKeys(sql`v.path_key`, paths)} AND ${inKeys(sql`v.evaluation_key`, evaluations)} LIMIT ${constant(size)})
    GROUP BY path_key`;
}
