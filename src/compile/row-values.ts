import { constant, join, sql, type Sql } from "../model/sql.ts";
import type { Plan } from "../plan/plan.ts";
import { scaled, type FixedPoint } from "./fixed-point.ts";
import { inKeys, scoreScope } from "./relations.ts";
import { scoreValues } from "./score-records.ts";
import { withTables, type Narrowing } from "./selected-rows.ts";

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
