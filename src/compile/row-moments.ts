import { constant, EMPTY, join, sql, type Sql } from "../model/sql.ts";
import type { Plan } from "../plan/plan.ts";
import { withTables } from "./selected-rows.ts";
import type { FixedPoint } from "./fixed-point.ts";
import { rowValues, wordCounts, type ValueScope } from "./row-values.ts";

/** Percentiles that are answered, in hundredths. */
export const PERCENTILES = [50, 90, 99] as const;

/**
 * Values fall into buckets of equal width, 2^11 of them up to the largest exponent: enough that the few distinct
 * values of most scores lie alone, and few enough to rank.
 */
const BUCKET_SHIFT = 50;

const HALF_WORD = 31;

/** 0-based ranks in ascending order around a percentile: type 7 lies between them. */
function ranks(percent: number): readonly [Sql, Sql] {
  const position = sql`(n - 1) * ${constant(percent)}`;
  return [sql`(${position}) // 100`, sql`(${position} + 99) // 100`];
}

/** How many columns each rank has in the records of {@link compileRowMoments}. */
export const RANK_COLUMNS = 4;
export const MOMENT_COLUMNS = 9;

/**
 * (evaluation_key, path_key, rows, Σx, Σ high², Σ high·low, Σ low², min, max), x = high · 2^31 + low; then for the two
 * ranks of each percentile (bucket, its smallest value, its largest, the values below the bucket).
 */
export function compileRowMoments(plan: Plan, scope: ValueScope, points: readonly FixedPoint[]): Sql {
  const high = sql`(x >> ${constant(HALF_WORD)})`;
  const low = sql`(x & ${constant(2 ** HALF_WORD - 1)})`;
  const buckets = sql`SELECT evaluation_key, path_key, x >> ${constant(BUCKET_SHIFT)} AS bucket, count(*) AS n_bucket,
        min(value) AS low, max(value) AS high, sum(x) AS total, sum(${high} * ${high}) AS hh,
        sum(${high} * ${low}) AS hl, sum(${low} * ${low}) AS ll
      FROM (${rowValues(plan, scope, points)}) GROUP BY evaluation_key, path_key, bucket`;
  return ranked(scope, buckets);
}

/** As {@link compileRowMoments}, for countable numbers of one trial a row. */
export function compileCountedMoments(plan: Plan, scope: ValueScope, points: readonly FixedPoint[]): Sql {
  const buckets = sql`SELECT evaluation_key, path_key, x AS bucket, n AS n_bucket, value AS low, value AS high,
        x::HUGEINT * n AS total, 0::HUGEINT AS hh, 0::HUGEINT AS hl, x::HUGEINT * x * n AS ll
      FROM (${wordCounts(plan, scope, points)})`;
  return ranked(scope, buckets);
}

function ranked(scope: ValueScope, buckets: Sql): Sql {
  const columns = PERCENTILES.flatMap((percent) => ranks(percent)).map((rank) => {
    const reached = sql`FILTER (upto > ${rank})`;
    return sql`, min(bucket) ${reached}, arg_min(low, bucket) ${reached}, arg_min(high, bucket) ${reached},
      arg_min(upto - n_bucket, bucket) ${reached}`;
  });
  const tables = [
    ...scope.narrowing.tables,
    sql`buckets AS MATERIALIZED (${buckets})`,
    sql`ranked AS (SELECT *, sum(n_bucket) OVER (PARTITION BY evaluation_key, path_key ORDER BY bucket) AS upto,
      sum(n_bucket) OVER (PARTITION BY evaluation_key, path_key) AS n FROM buckets)`,
  ];
  return sql`${withTables(tables)}SELECT evaluation_key, path_key, any_value(n), sum(total), sum(hh), sum(hl), sum(ll),
      min(low), max(high)${join(columns, EMPTY)}
    FROM ranked GROUP BY evaluation_key, path_key`;
}

/** A value by its place in ascending order among those of its bucket, from 1. */
export interface WantedRank {
  readonly evaluationKey: number;
  readonly pathKey: number;
  readonly bucket: number;
  readonly place: number;
}

/** (evaluation_key, path_key, bucket, place, value) of some ranks whose bucket holds several values. */
export function compileRankedValues(
  plan: Plan,
  scope: ValueScope,
  points: readonly FixedPoint[],
  wanted: readonly WantedRank[],
): Sql {
  const values = wanted.map(
    ({ evaluationKey, pathKey, bucket, place }) =>
      sql`(${constant(evaluationKey)}, ${constant(pathKey)}, ${constant(bucket)}::BIGINT, ${constant(place)})`,
  );
  const places = sql`wanted AS (
      FROM (VALUES ${join(values, sql`, `)}) AS w(evaluation_key, path_key, bucket, place))`;
  const sorted = sql`sorted AS (SELECT r.evaluation_key, r.path_key, r.bucket, list_sort(list(r.value)) AS all_values
      FROM (SELECT *, x >> ${constant(BUCKET_SHIFT)} AS bucket FROM (${rowValues(plan, scope, points)})) AS r
      SEMI JOIN wanted USING (evaluation_key, path_key, bucket) GROUP BY r.evaluation_key, r.path_key, r.bucket)`;
  return sql`${withTables([...scope.narrowing.tables, places, sorted])}SELECT w.evaluation_key, w.path_key, w.bucket, w.place, s.all_values[w.place]
    FROM wanted AS w JOIN sorted AS s USING (evaluation_key, path_key, bucket)`;
}
