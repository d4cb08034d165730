import { constant, sql, type Sql } from "../../store/sql.ts";
import type { AgreementPlan, Side } from "../../plan/agreement-plan.ts";
import type { Plan } from "../../plan/plan.ts";
import { scaledSum, sumScale } from "../sums/scaled-sum.ts";
import { exactMean, exactMethod } from "../sums/exact-mean.ts";
import { inKeys, scoreScope } from "../relations/relations.ts";
import { scoreValues } from "../scores/score-records.ts";
import { narrowing, withTables } from "../rows/selected-rows.ts";

/** The records of one dimension on the rows that count. */
function sideRecords(plan: Plan, side: Side, semi: Sql): Sql {
  return sql`SELECT trial_key, row_key, evaluation_key, kind, number, text
    FROM ${scoreValues(plan, null, [side.pathKey])}${semi} WHERE path_key = ${constant(side.pathKey)}
    AND ${inKeys(sql`evaluation_key`, plan.evaluationKeys)}${scoreScope(plan, sql`scores`)}`;
}

/** (kind): which kinds of value a dimension has. */
export function compileSideKinds(plan: Plan, side: Side): Sql {
  const { tables, semi } = narrowing(plan, plan.rows?.intersection ?? false);
  return sql`${withTables(tables)}SELECT DISTINCT kind FROM (${sideRecords(plan, side, semi)})
    WHERE kind = 2 OR number IS NOT NULL`;
}

/** The table `pairs` (row_key, evaluation_key, a, b): a trial each, null where one has no value. */
function pairTables({ plan, a, b, scale }: AgreementPlan): readonly Sql[] {
  const { tables, semi } = narrowing(plan, plan.rows?.intersection ?? false);
  const values = (side: Side) =>
    scale === "text"
      ? sql`SELECT trial_key, row_key, evaluation_key, text AS value FROM (${sideRecords(plan, side, semi)}) WHERE kind = 2`
      : sql`SELECT trial_key, row_key, evaluation_key, number AS value FROM (${sideRecords(plan, side, semi)})
        WHERE kind < 2 AND number IS NOT NULL`;
  const pairs = sql`pairs AS MATERIALIZED (SELECT coalesce(a.row_key, b.row_key) AS row_key,
    coalesce(a.evaluation_key, b.evaluation_key) AS evaluation_key, a.value AS a, b.value AS b
    FROM (${values(a)}) AS a FULL JOIN (${values(b)}) AS b ON b.trial_key = a.trial_key)`;
  return [...tables, pairs];
}

/** (both, only a, only b, rows with both, equal). */
export function compilePairCounts(agreement: AgreementPlan): Sql {
  const tables = pairTables(agreement);
  return sql`${withTables(tables)}SELECT count(*) FILTER (a IS NOT NULL AND b IS NOT NULL), count(*) FILTER (b IS NULL),
    count(*) FILTER (a IS NULL), count(DISTINCT row_key) FILTER (a IS NOT NULL AND b IS NOT NULL),
    count(*) FILTER (a = b) FROM pairs`;
}

/** (a, b, count): the different pairs of values in order, at most `limit` of them. */
export function compileCells(agreement: AgreementPlan, limit: number): Sql {
  const tables = pairTables(agreement);
  return sql`${withTables(tables)}SELECT a, b, count(*) FROM pairs WHERE a IS NOT NULL AND b IS NOT NULL
    GROUP BY a, b ORDER BY a, b LIMIT ${constant(limit)}`;
}

/**
 * (cells, count): which pairs of values the trials of a row have, as numbers from 0 in the order of
 * {@link compileCells}, with commas between; and how many rows have those.
 */
export function compileRowPatterns(agreement: AgreementPlan, limit: number): Sql {
  const tables = pairTables(agreement);
  const cells = sql`cells AS MATERIALIZED (SELECT a, b, row_number() OVER (ORDER BY a, b) - 1 AS cell
    FROM pairs WHERE a IS NOT NULL AND b IS NOT NULL GROUP BY a, b)`;
  return sql`${withTables([...tables, cells])}SELECT cells, count(*) FROM (
      SELECT row_key, string_agg(cell::VARCHAR, ',' ORDER BY cell) AS cells
      FROM pairs JOIN cells ON cells.a = pairs.a AND cells.b = pairs.b GROUP BY row_key)
    GROUP BY cells ORDER BY cells LIMIT ${constant(limit)}`;
}

/** (n, Σ(a − ā)², Σ(b − b̄)², Σ(a − ā)(b − b̄)) over trials with both. */
export function compilePairMoments(agreement: AgreementPlan): Sql {
  const { a, b } = agreement;
  const both = sql`FROM pairs WHERE pairs.a IS NOT NULL AND pairs.b IS NOT NULL`;
  const tables = [
    ...pairTables(agreement),
    sql`centre AS MATERIALIZED (SELECT ${meanOf(a, sql`pairs.a`)} AS a, ${meanOf(b, sql`pairs.b`)} AS b ${both})`,
    sql`products AS (SELECT da * da AS aa, db * db AS bb, da * db AS ab
      FROM (SELECT pairs.a - (SELECT a FROM centre) AS da, pairs.b - (SELECT b FROM centre) AS db ${both}))`,
    sql`scales AS MATERIALIZED (SELECT ${sumScale("aa")}, ${sumScale("bb")}, ${sumScale("ab")} FROM products)`,
  ];
  return sql`${withTables(tables)}SELECT count(*), ${scaledSum("aa")}, ${scaledSum("bb")}, ${scaledSum("ab")}
    FROM products CROSS JOIN scales`;
}

/** As {@link compilePairMoments} of the mid-ranks, times 4: exact integers. */
export function compileRankMoments(agreement: AgreementPlan): Sql {
  const tables = pairTables(agreement);
  return sql`${withTables(tables)}SELECT count(*), sum(ra.rank::HUGEINT * ra.rank::HUGEINT)::DOUBLE,
    sum(rb.rank::HUGEINT * rb.rank::HUGEINT)::DOUBLE, sum(ra.rank::HUGEINT * rb.rank::HUGEINT)::DOUBLE
    FROM pairs JOIN (${midRanks(sql`a`)}) AS ra ON ra.value = pairs.a JOIN (${midRanks(sql`b`)}) AS rb ON rb.value = pairs.b
    WHERE pairs.a IS NOT NULL AND pairs.b IS NOT NULL`;
}

/** (value, rank): twice the mid-rank of each value, less that of the middle one. */
function midRanks(side: Sql): Sql {
  return sql`SELECT value, 2 * (sum(n) OVER (ORDER BY value) - n) + n - total AS rank
    FROM (SELECT ${side} AS value, count(*) AS n, sum(count(*)) OVER () AS total
      FROM pairs WHERE a IS NOT NULL AND b IS NOT NULL GROUP BY ${side})`;
}

/**
 * By evaluation, over the means of rows: (evaluation_key, n, ā, b̄, Σ(a − ā)², Σ(b − b̄)², Σ(a − ā)(b − b̄)) of
 * the trials with both, then (n, b̄, Σ(b − b̄)²) of those with b alone.
 */
export function compileLabelMoments(agreement: AgreementPlan): Sql {
  const { a, b } = agreement;
  const tables = [
    ...pairTables(agreement),
    sql`means AS MATERIALIZED (SELECT evaluation_key, ${meanOf(a, sql`(CASE WHEN b IS NOT NULL THEN a END)`)} AS a,
      ${meanOf(b, sql`(CASE WHEN a IS NOT NULL THEN b END)`)} AS b, ${meanOf(b, sql`(CASE WHEN a IS NULL THEN b END)`)} AS c
      FROM pairs WHERE b IS NOT NULL GROUP BY evaluation_key, row_key)`,
    sql`sizes AS MATERIALIZED (SELECT evaluation_key, ${sumScale("a")}, ${sumScale("b")}, ${sumScale("c")}
      FROM means GROUP BY evaluation_key)`,
    sql`centre AS MATERIALIZED (SELECT evaluation_key, count(a) AS n, ${scaledSum("a")} / count(a) AS a,
      ${scaledSum("b")} / count(b) AS b, count(c) AS nc, ${scaledSum("c")} / count(c) AS c
      FROM means JOIN sizes USING (evaluation_key) GROUP BY evaluation_key)`,
    sql`products AS (SELECT evaluation_key, da * da AS aa, db * db AS bb, da * db AS ab, dc * dc AS cc FROM (
      SELECT evaluation_key, m.a - k.a AS da, m.b - k.b AS db, m.c - k.c AS dc FROM means AS m JOIN centre AS k USING (evaluation_key)))`,
    sql`scales AS MATERIALIZED (SELECT evaluation_key, ${sumScale("aa")}, ${sumScale("bb")}, ${sumScale("ab")},
      ${sumScale("cc")} FROM products GROUP BY evaluation_key)`,
    sql`sums AS (SELECT evaluation_key, ${scaledSum("aa")} AS aa, ${scaledSum("bb")} AS bb, ${scaledSum("ab")} AS ab,
      ${scaledSum("cc")} AS cc FROM products JOIN scales USING (evaluation_key) GROUP BY evaluation_key)`,
  ];
  return sql`${withTables(tables)}SELECT evaluation_key, centre.n, centre.a, centre.b, aa, bb, ab, centre.nc, centre.c, cc
    FROM centre JOIN sums USING (evaluation_key)`;
}

function meanOf({ exponents }: Side, value: Sql): Sql {
  return exactMean(value, exactMethod(exponents));
}
