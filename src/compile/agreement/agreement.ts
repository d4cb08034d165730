import { TEXT } from "../../model/score-kind.ts";
import {
  column,
  mapped,
  nullable,
  query,
  select,
  type Query,
  type ResultColumn,
  type RowOf,
} from "../../store/query.ts";
import { constant, sql, type Sql } from "../../store/sql.ts";
import type { AgreementPlan, PlannedSide } from "../../plan/agreement-plan.ts";
import type { Plan } from "../../plan/plan.ts";
import type { FeedbackLeaf } from "../../plan/virtual-leaves.ts";
import { scaledSum, sumScale } from "../sums/scaled-sum.ts";
import { exactMean, exactMethod } from "../sums/exact-mean.ts";
import { tiedRecords } from "../scores/score-records.ts";
import { sideRecords, sideValues } from "../scores/side-records.ts";
import { narrowing, withTables } from "../rows/selected-rows.ts";
import { wideSum, wide, filtered, joinedTexts } from "../relations/spelled.ts";

/** The kinds of values that a dimension has. */
export function compileSideKinds(plan: Plan, side: PlannedSide): Query<{ readonly kind: number }> {
  const { tables, selectedJoin } = narrowing(plan, plan.rows?.intersection ?? false);
  const kinds = select(
    { kind: column.integer(sql`kind`) },
    sql` FROM (${sideRecords(plan, side, selectedJoin)})
    WHERE kind = ${constant(TEXT)} OR number IS NOT NULL GROUP BY kind`,
  );
  return query("kinds of a side", kinds, sql`${withTables(tables)}${kinds.sql}`);
}

/** The trials of the selected rows on which people disagree evenly in one of these dimensions. */
export function compileTies(plan: Plan, leaves: readonly FeedbackLeaf[]): Query<{ readonly trials: number }> {
  const { tables, selectedJoin } = narrowing(plan, plan.rows?.intersection ?? false);
  const trials = select(
    { trials: column.integer(sql`count(DISTINCT trial_key)`) },
    sql` FROM (${tiedRecords(plan, leaves)}) AS tied${selectedJoin}`,
  );
  return query("ties", trials, sql`${withTables(tables)}${trials.sql}`);
}

/** The table `pairs` (row_key, evaluation_key, a, b): one record for each trial; null for a missing value. */
export function pairTables({ plan, a, b, scale }: AgreementPlan): readonly Sql[] {
  const { tables, selectedJoin } = narrowing(plan, plan.rows?.intersection ?? false);
  const values = (side: PlannedSide) => sideValues(plan, side, selectedJoin, scale === "text");
  const pairs = sql`pairs AS MATERIALIZED (SELECT coalesce(a.row_key, b.row_key) AS row_key,
    coalesce(a.evaluation_key, b.evaluation_key) AS evaluation_key, a.value AS a, b.value AS b
    FROM (${values(a)}) AS a FULL JOIN (${values(b)}) AS b ON b.trial_key = a.trial_key)`;
  return [...tables, pairs];
}

export function compilePairCounts(agreement: AgreementPlan) {
  const counts = select(
    {
      both: column.integer(filtered(sql`count(*)`, sql`a IS NOT NULL AND b IS NOT NULL`)),
      onlyA: column.integer(filtered(sql`count(*)`, sql`b IS NULL`)),
      onlyB: column.integer(filtered(sql`count(*)`, sql`a IS NULL`)),
      rows: column.integer(filtered(sql`count(DISTINCT row_key)`, sql`a IS NOT NULL AND b IS NOT NULL`)),
      equal: column.integer(filtered(sql`count(*)`, sql`a = b`)),
    },
    sql` FROM pairs`,
  );
  return query("pair counts", counts, sql`${withTables(pairTables(agreement))}${counts.sql}`);
}

/** Counts of trials with values of a, b or both; `rows` counts rows with both, `equal` trials with equal values. */
export type PairCounts = RowOf<typeof compilePairCounts>;

/** The distinct pairs of values in order, at most `limit` of them. */
export function compileCells(agreement: AgreementPlan, limit: number) {
  const side: (value: Sql) => ResultColumn<number | string> =
    agreement.scale === "text" ? column.text : column.double;
  const cells = select(
    { a: side(sql`a`), b: side(sql`b`), count: column.integer(sql`count(*)`) },
    sql` FROM pairs WHERE a IS NOT NULL AND b IS NOT NULL
    GROUP BY a, b ORDER BY a, b LIMIT ${constant(limit)}`,
  );
  return query("cells", cells, sql`${withTables(pairTables(agreement))}${cells.sql}`);
}

/** The number of rows whose trials have just these pairs of values: indexes in the order of {@link compileCells}. */
export function compileRowPatterns(agreement: AgreementPlan, limit: number) {
  const tables = pairTables(agreement);
  const cells = sql`cells AS MATERIALIZED (SELECT a, b, row_number() OVER (ORDER BY a, b) - 1 AS cell
    FROM pairs WHERE a IS NOT NULL AND b IS NOT NULL GROUP BY a, b)`;
  const patterns = select(
    { cells: column.text(sql`cells`), rows: column.integer(sql`count(*)`) },
    sql` FROM (
      SELECT row_key, ${joinedTexts(sql`cell`, sql`cell`, sql`','`)} AS cells
      FROM pairs JOIN cells ON cells.a = pairs.a AND cells.b = pairs.b GROUP BY row_key)
    GROUP BY cells ORDER BY cells LIMIT ${constant(limit)}`,
  );
  const listed = mapped(patterns, ({ cells: texts, rows }) => ({
    cells: texts.split(",").map(Number),
    rows,
  }));
  return query("row patterns", listed, sql`${withTables([...tables, cells])}${listed.sql}`);
}

/**
 * Σ(a − ā)², Σ(b − b̄)² and Σ(a − ā)(b − b̄) over trials with both values, where each side is in a unit of its own, so
 * that no square overflows; null without such trials.
 */
export interface PairMoments {
  readonly aa: number | null;
  readonly bb: number | null;
  readonly ab: number | null;
}

function pairMoments(aa: Sql, bb: Sql, ab: Sql) {
  return {
    aa: nullable(column.double(aa)),
    bb: nullable(column.double(bb)),
    ab: nullable(column.double(ab)),
  };
}

export function compilePairMoments(agreement: AgreementPlan): Query<PairMoments> {
  const { a, b } = agreement;
  const both = sql`FROM pairs WHERE pairs.a IS NOT NULL AND pairs.b IS NOT NULL`;
  const tables = [
    ...pairTables(agreement),
    sql`centre AS MATERIALIZED (SELECT ${meanExpression(a, sql`pairs.a`)} AS a, ${meanExpression(b, sql`pairs.b`)} AS b ${both})`,
    sql`sizes AS MATERIALIZED (SELECT ${sumScale("a")}, ${sumScale("b")} ${both})`,
    sql`products AS (SELECT da * da AS aa, db * db AS bb, da * db AS ab FROM (
      SELECT ${deviation(sql`pairs.a`, sql`centre.a`, sql`scale_a`)} AS da, ${deviation(sql`pairs.b`, sql`centre.b`, sql`scale_b`)} AS db
      FROM pairs CROSS JOIN centre CROSS JOIN sizes WHERE pairs.a IS NOT NULL AND pairs.b IS NOT NULL))`,
    sql`scales AS MATERIALIZED (SELECT ${sumScale("aa")}, ${sumScale("bb")}, ${sumScale("ab")} FROM products)`,
  ];
  const sums = select(
    pairMoments(scaledSum("aa"), scaledSum("bb"), scaledSum("ab")),
    sql`
    FROM products CROSS JOIN scales`,
  );
  return query("pair moments", sums, sql`${withTables(tables)}${sums.sql}`);
}

/** The distance from the mean in a unit that {@link sumScale} selected, whose square is neither infinite nor 0. */
export function deviation(value: Sql, mean: Sql, scale: Sql): Sql {
  return sql`${value} * ${scale} - ${mean} * ${scale}`;
}

function rankProducts(one: Sql, other: Sql): Sql {
  return sql`nearest_double(${wideSum(sql`${wide(sql`${one}.rank`)} * ${wide(sql`${other}.rank`)}`)})`;
}

/** Like {@link compilePairMoments}, but of the mid-ranks and times 4, which makes them exact integers. */
export function compileRankMoments(agreement: AgreementPlan): Query<PairMoments> {
  const [a, b] = [sql`ra`, sql`rb`];
  const sums = select(
    pairMoments(rankProducts(a, a), rankProducts(b, b), rankProducts(a, b)),
    sql`
    FROM pairs JOIN (${midRanks(sql`a`)}) AS ra ON ra.value = pairs.a JOIN (${midRanks(sql`b`)}) AS rb ON rb.value = pairs.b
    WHERE pairs.a IS NOT NULL AND pairs.b IS NOT NULL`,
  );
  return query("rank moments", sums, sql`${withTables(pairTables(agreement))}${sums.sql}`);
}

/** (value, rank): twice the difference between the mid-rank of a value and the mean rank. */
function midRanks(side: Sql): Sql {
  return sql`SELECT value, 2 * (sum(n) OVER (ORDER BY value) - n) + n - total AS rank
    FROM (SELECT ${side} AS value, count(*) AS n, sum(count(*)) OVER () AS total
      FROM pairs WHERE a IS NOT NULL AND b IS NOT NULL GROUP BY ${side})`;
}

export function meanExpression({ exponents }: PlannedSide, value: Sql): Sql {
  return exactMean(value, exactMethod(exponents));
}
