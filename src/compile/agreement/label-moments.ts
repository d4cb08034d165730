import type { AgreementPlan } from "../../plan/agreement-plan.ts";
import type { DifferenceMoments, LabelMoments } from "../../plan/results.ts";
import { column, nullable, query, select, together, type Query } from "../../store/query.ts";
import { constant, identifier, join, sql, type Sql } from "../../store/sql.ts";
import { filtered } from "../relations/spelled.ts";
import { withTables } from "../rows/selected-rows.ts";
import { scaledSum, sumScale } from "../sums/scaled-sum.ts";
import { deviation, meanExpression, pairTables } from "./agreement.ts";

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
 * Moments of row means. A row with trials that have both values is labelled, and these trials alone count; the trials
 * of another row are those with b alone.
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

/**
 * (evaluation_key, row_key, a, b, every_b, odd): means of the trials with both values, of all with b; labels but 0 and
 * 1.
 */
function rowMeans({ a, b }: AgreementPlan): Sql {
  return sql`SELECT evaluation_key, row_key, ${meanExpression(a, sql`(CASE WHEN b IS NOT NULL THEN a END)`)} AS a,
      ${meanExpression(b, sql`(CASE WHEN a IS NOT NULL THEN b END)`)} AS b, ${meanExpression(b, sql`b`)} AS every_b,
      ${filtered(sql`count(*)`, sql`a NOT IN (0, 1)`)} AS odd
      FROM pairs WHERE b IS NOT NULL GROUP BY evaluation_key, row_key`;
}

const BASELINE = ["base_a", "base_b", "base_c"] as const;

const DIFFERENCE_MOMENTS = {
  moments: together(LABEL_MOMENTS),
  size: nullable(column.double(sql`size`)),
  baseline: together({
    a: nullable(column.double(sql`base_a`)),
    b: nullable(column.double(sql`base_b`)),
    c: nullable(column.double(sql`base_c`)),
  }),
};

/**
 * Moments of differences of row means, candidate − baseline, by candidate; the baseline is the first evaluation of the
 * plan. A row with labels on both sides is labelled; another is one with values of b on both sides.
 */
export function compileDifferenceMoments(agreement: AgreementPlan): Query<DifferenceMoments> {
  const [baseline = 0] = agreement.plan.evaluationKeys;
  const means = sql`means AS MATERIALIZED (SELECT *, CASE WHEN a IS NULL THEN every_b END AS c, CASE WHEN a IS NULL THEN base_every_b END AS base_c
    FROM (SELECT t.evaluation_key AS evaluation_key, t.a - k.a AS a, t.b - k.b AS b, t.every_b - k.every_b AS every_b, t.odd + k.odd AS odd,
      CASE WHEN t.a IS NOT NULL THEN k.a END AS base_a, CASE WHEN t.a IS NOT NULL THEN k.b END AS base_b,
      k.every_b AS base_every_b, greatest(abs(t.a), abs(k.a)) AS size
      FROM (${rowMeans(agreement)}) AS t JOIN (${rowMeans(agreement)}) AS k ON k.row_key = t.row_key
      WHERE k.evaluation_key = ${constant(baseline)} AND t.evaluation_key <> ${constant(baseline)}))`;
  const tables = withTables([...pairTables(agreement), means, ...momentTables(BASELINE)]);
  const sums = select<DifferenceMoments>(
    DIFFERENCE_MOMENTS,
    sql`
    FROM centre JOIN sums USING (evaluation_key) JOIN sizes USING (evaluation_key)
    JOIN (SELECT evaluation_key, max(CASE WHEN a IS NOT NULL THEN size END) AS size FROM means GROUP BY evaluation_key) AS most USING (evaluation_key)`,
  );
  return query("difference moments", sums, sql`${tables}${sums.sql}`);
}

/** The tables `sizes`, `centre` and `sums` of the columns a, b and c of `means`; `centre` also has means of others. */
function momentTables(others: readonly string[] = []): readonly Sql[] {
  const scales = others.map((name) => sql`, ${sumScale(name)}`);
  const centres = others.map((name) => sql`, ${centreOf(name)} AS ${identifier(name)}`);
  return [
    sql`judged AS (SELECT *, coalesce(b, c) AS judge FROM means)`,
    sql`sizes AS MATERIALIZED (SELECT evaluation_key, ${sumScale("a")}, ${sumScale("b")}, ${sumScale("c")},
      ${sumScale("judge")}, sum(odd) AS odd${join(scales, sql``)} FROM judged GROUP BY evaluation_key)`,
    sql`centre AS MATERIALIZED (SELECT evaluation_key, count(a) AS n, ${centreOf("a")} AS a, ${centreOf("b")} AS b,
      count(c) AS nc, ${centreOf("c")} AS c${join(centres, sql``)} FROM means JOIN sizes USING (evaluation_key) GROUP BY evaluation_key)`,
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
