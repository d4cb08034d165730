import type { PlannedSide } from "../../plan/agreement-plan.ts";
import type { Plan } from "../../plan/plan.ts";
import { column, query, select } from "../../store/query.ts";
import { constant, sql } from "../../store/sql.ts";
import { presentRows } from "../relations/relations.ts";
import { filtered } from "../relations/spelled.ts";
import { narrowing, withTables } from "../rows/selected-rows.ts";
import { sideValues } from "../scores/side-records.ts";
import { exactMean, exactMethod } from "../sums/exact-mean.ts";

/** The mean of the known trials of each row in each evaluation, at most `limit` of them. */
export function compileItemValues(plan: Plan, side: PlannedSide, limit: number) {
  const { tables, selectedJoin } = narrowing(plan, plan.rows?.intersection ?? false);
  const mean = exactMean(sql`value`, exactMethod(side.exponents));
  const values = select(
    {
      row: column.key(sql`row_key`),
      evaluationKey: column.integer(sql`evaluation_key`),
      value: column.double(sql`CASE WHEN min(value) = max(value) THEN min(value) ELSE ${mean} END`),
      trials: column.integer(sql`count(*)`),
      /** Whether trials differ, and how many are neither 0 nor 1. */
      differ: column.boolean(sql`min(value) <> max(value)`),
      odd: column.integer(filtered(sql`count(*)`, sql`value NOT IN (0, 1)`)),
    },
    sql` FROM (${sideValues(plan, side, selectedJoin, false)}) GROUP BY row_key, evaluation_key LIMIT ${constant(limit)}`,
  );
  return query("item values", values, sql`${withTables(tables)}${values.sql}`);
}

/** The value of each trial, by the digest of its row, then by value. */
export function compileSideTrials(plan: Plan, side: PlannedSide) {
  const { tables, selectedJoin } = narrowing(plan, false);
  const trials = select(
    {
      row: column.key(sql`v.row_key`),
      evaluationKey: column.integer(sql`v.evaluation_key`),
      value: column.double(sql`v.value`),
    },
    sql` FROM (${sideValues(plan, side, selectedJoin, false)}) AS v JOIN rows AS r ON r.row_key = v.row_key
      ORDER BY r.digest, v.value`,
  );
  return query("side trials", trials, sql`${withTables(tables)}${trials.sql}`);
}

/** The digests of the rows that the evaluations tried. */
export function compileRowDigests(plan: Plan) {
  const digests = select(
    { row: column.key(sql`row_key`), digest: column.text(sql`digest`) },
    sql` FROM rows SEMI JOIN (${presentRows(plan, false)}) AS tried USING (row_key)
      WHERE project_key = ${constant(plan.projectKey)}`,
  );
  return query("row digests", digests);
}
