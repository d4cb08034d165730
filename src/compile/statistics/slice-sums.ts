import { column, query, select, unionAll, type Query } from "../../store/query.ts";
import { constant, sql, type Sql } from "../../store/sql.ts";
import { BOOLEAN } from "../../model/score-kind.ts";
import type { Plan } from "../../plan/plan.ts";
import { wideSum } from "../relations/spelled.ts";
import { withTables } from "../rows/selected-rows.ts";
import type { FixedPoint } from "../sums/fixed-point.ts";
import { productsOf, sumOfSquares } from "../sums/squares.ts";
import { HALF_BITS } from "../sums/words.ts";
import { rowClusters, selectClusters } from "./clusters.ts";
import { fromRecords, valuesByKind, type ValueScope } from "./row-values.ts";

/** What is in slices: rows, or trials. */
const unitOf = ({ byTrial = false }: ValueScope) => (byTrial ? sql`trial_key` : sql`row_key`);

function joinSlices(alias: Sql, scope: ValueScope): Sql {
  const unit = unitOf(scope);
  return sql`JOIN slices AS s ON s.${unit} = ${alias}.${unit}`;
}

/** A slice of a series, by the number that the relation `slices` gives it. */
const PLACE = {
  evaluationKey: column.integer(sql`evaluation_key`),
  pathKey: column.integer(sql`path_key`),
  slice: column.integer(sql`slice`),
};

const GROUPS = sql`evaluation_key, path_key, slice`;

function sliceQuery<Row>(
  name: string,
  { narrowing }: ValueScope,
  tables: readonly Sql[],
  all: { readonly sql: Sql; readonly read: Query<Row>["read"] },
): Query<Row> {
  return query(name, all, sql`${withTables([...narrowing.tables, ...tables])}${all.sql}`);
}

/** Counts the trials of each slice. */
export function compileSliceTrials(plan: Plan, scope: ValueScope, slices: readonly Sql[]) {
  const isBoolean = sql`kind = ${constant(BOOLEAN)}`;
  const counts = select(
    {
      ...PLACE,
      /** Trials with a value, those that are true or false, and those that are true. */
      trials: column.integer(sql`count(*)`),
      known: column.integer(sql`count(CASE WHEN ${isBoolean} THEN 1 END)`),
      passed: column.integer(sql`count(CASE WHEN ${isBoolean} AND number = 1 THEN 1 END)`),
    },
    sql` FROM (SELECT v.evaluation_key AS evaluation_key, v.path_key AS path_key, v.kind AS kind, v.number AS number, v.${unitOf(scope)} AS ${unitOf(scope)}
      ${fromRecords(plan, scope)}) AS r ${joinSlices(sql`r`, scope)} GROUP BY ${GROUPS}`,
  );
  return sliceQuery("slice trials", scope, slices, counts);
}

/** Row values of the series of a scope with their slices. */
function slicedValues(plan: Plan, scope: ValueScope, points: readonly FixedPoint[]): Sql[] {
  return valuesByKind(plan, scope, points).map(
    (
      values,
    ) => sql`SELECT v.evaluation_key AS evaluation_key, v.path_key AS path_key, v.row_key AS row_key, v.x AS x, v.trials AS trials,
      s.slice AS slice FROM (${values}) AS v ${joinSlices(sql`v`, scope)}`,
  );
}

const X = productsOf(sql`x`, HALF_BITS);

/** Adds up the row values of each slice. */
export function compileSliceMoments(
  plan: Plan,
  scope: ValueScope,
  points: readonly FixedPoint[],
  slices: readonly Sql[],
) {
  const parts = slicedValues(plan, scope, points).map((values) =>
    select(
      {
        ...PLACE,
        n: column.integer(sql`count(*)`),
        /** Σx and Σx² of the words x. */
        sum: column.bigint(wideSum(sql`x`)),
        squares: sumOfSquares({ hh: wideSum(X.hh), hl: wideSum(X.hl), ll: wideSum(X.ll) }, HALF_BITS),
        /** The largest number of trials of a row. */
        most: column.integer(sql`max(trials)`),
      },
      sql` FROM (${values}) GROUP BY ${GROUPS}`,
    ),
  );
  return sliceQuery("slice moments", scope, slices, unionAll(parts));
}

/** Sums over the clusters of each size in each slice. */
export function compileSliceClusters(
  plan: Plan,
  scope: ValueScope,
  points: readonly FixedPoint[],
  slices: readonly Sql[],
  pointer: string,
) {
  const parts = slicedValues(plan, scope, points).map((values) => selectClusters(PLACE, GROUPS, values));
  return sliceQuery("slice clusters", scope, [...slices, rowClusters(plan, pointer)], unionAll(parts));
}
