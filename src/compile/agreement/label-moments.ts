import type { AgreementPlan } from "../../plan/agreement-plan.ts";
import type { LabelMoments } from "../../plan/results.ts";
import { column, nullable, query, select, together, type Query } from "../../store/query.ts";
import { identifier, sql, type Sql } from "../../store/sql.ts";
import { filtered } from "../relations/spelled.ts";
import { withTables } from "../rows/selected-rows.ts";
import { scaledSum, sumScale } from "../sums/scaled-sum.ts";
import { deviation, meanOf, pairTables } from "./agreement.ts";

const LABEL_MOMENTS = {
  evaluationKey: column.integer(sql`evaluation_key`),
  unitA: column.double(sql`scale_a`),
  unitB: column.double(sql`scale_judge`),
  zeroOne: column.boolean(sql`odd = 0`),
  labelled: together({
    n: column.integer(sql`centre.n`),
    a: nullable(column.double(sql`centre.a`)),
    b: nullable(column.double(sql`centre.b`)),
    aa: column.double(sql`aa`),
    bb: column.double(sql`bb`),
    ab: column.double(sql`ab`),
  }),
  unlabelled: together({
    n: column.integer(sql`centre.nc`),
    b: nullable(column.double(sql`centre.c`)),
    bb: column.double(sql`cc`),
  }),
};

/**
 * Moments of row means. A row with trials that have both values is labelled, and these trials alone count; the trials of
 * another row are those with b alone.
 */
export function compileLabelMoments(agreement: AgreementPlan): Query<LabelMoments> {
  const means = sql`means AS MATERIALIZED (SELECT evaluation_key, a, b, CASE WHEN a IS NULL THEN every_b END AS c, odd
    FROM (${rowMeans(agreement)}))`;
  const tables = withTables([...pairTables(agreement), means, ...momentTables()]);
  const sums = select<LabelMoments>(
    LABEL_MOMENTS,
    sql`
    FROM centre JOIN sums USING (evaluation_key) JOIN sizes USING (evaluation_key)`,
  );
  return query("label moments", sums, sql`${tables}${sums.sql}`);
}

/** (evaluation_key, row_key, a, b, every_b, odd): means of the trials with both values, of all with b; labels but 0 and 1. */
function rowMeans({ a, b }: AgreementPlan): Sql {
  return sql`SELECT evaluation_key, row_key, ${meanOf(a, sql`(CASE WHEN b IS NOT NULL THEN a END)`)} AS a,
      ${meanOf(b, sql`(CASE WHEN a IS NOT NULL THEN b END)`)} AS b, ${meanOf(b, sql`b`)} AS every_b,
      ${filtered(sql`count(*)`, sql`a NOT IN (0, 1)`)} AS odd
      FROM pairs WHERE b IS NOT NULL GROUP BY evaluation_key, row_key`;
}

/** The tables `sizes`, `centre` and `sums` of the columns a, b and c of `means`. */
function momentTables(): readonly Sql[] {
  return [
    sql`judged AS (SELECT *, coalesce(b, c) AS judge FROM means)`,
    sql`sizes AS MATERIALIZED (SELECT evaluation_key, ${sumScale("a")}, ${sumScale("b")}, ${sumScale("c")},
      ${sumScale("judge")}, sum(odd) AS odd FROM judged GROUP BY evaluation_key)`,
    sql`centre AS MATERIALIZED (SELECT evaluation_key, count(a) AS n, ${centreOf("a")} AS a, ${centreOf("b")} AS b,
      count(c) AS nc, ${centreOf("c")} AS c FROM means JOIN sizes USING (evaluation_key) GROUP BY evaluation_key)`,
    sql`products AS (SELECT evaluation_key, da * da AS aa, db * db AS bb, da * db AS ab, dc * dc AS cc FROM (
      SELECT evaluation_key, ${deviation(sql`m.a`, sql`k.a`, sql`scale_a`)} AS da, ${deviation(sql`m.b`, sql`k.b`, sql`scale_judge`)} AS db,
      ${deviation(sql`m.c`, sql`k.c`, sql`scale_judge`)} AS dc
      FROM means AS m JOIN centre AS k USING (evaluation_key) JOIN sizes USING (evaluation_key)))`,
    sql`scales AS MATERIALIZED (SELECT evaluation_key, ${sumScale("aa")}, ${sumScale("bb")}, ${sumScale("ab")},
      ${sumScale("cc")} FROM products GROUP BY evaluation_key)`,
    sql`sums AS (SELECT evaluation_key, ${scaledSum("aa")} AS aa, ${scaledSum("bb")} AS bb, ${scaledSum("ab")} AS ab,
      ${scaledSum("cc")} AS cc FROM products JOIN scales USING (evaluation_key) GROUP BY evaluation_key)`,
  ];
}

/** The mean of a column of which `sizes` has the scale; equal values have exactly that mean. */
function centreOf(name: string): Sql {
  const value = identifier(name);
  return sql`CASE WHEN min(${value}) = max(${value}) THEN min(${value}) ELSE ${scaledSum(name)} / count(${value}) END`;
}
