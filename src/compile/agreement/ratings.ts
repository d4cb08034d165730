import type { PlannedSide } from "../../plan/agreement-plan.ts";
import type { Plan } from "../../plan/plan.ts";
import type { FeedbackLeaf } from "../../plan/virtual-leaves.ts";
import { column, nullable, query, select, unionAll } from "../../store/query.ts";
import { constant, sql } from "../../store/sql.ts";
import { inKeys } from "../relations/relations.ts";
import { narrowing, withTables } from "../rows/selected-rows.ts";
import { givenRecords } from "../scores/score-records.ts";
import { sideValues } from "../scores/side-records.ts";

/** What the dimensions of raters say of each trial: by place of the rater, a text or a number. */
export function compileRatings(plan: Plan, sides: readonly PlannedSide[], isText: boolean, limit: number) {
  const { tables, selectedJoin } = narrowing(plan, plan.rows?.intersection ?? false);
  const parts = sides.map((side, i) =>
    select(
      {
        trial: column.key(sql`trial_key`),
        rater: column.integer(constant(i)),
        value: isText ? column.text(sql`value`) : column.double(sql`value`),
      },
      sql` FROM (${sideValues(plan, side, selectedJoin, isText)})`,
    ),
  );
  const all = unionAll<{ trial: number | bigint; rater: number; value: number | string }>(parts);
  return query("ratings", all, sql`${withTables(tables)}SELECT * FROM (${all.sql}) LIMIT ${constant(limit)}`);
}

/** What each person says of each trial. */
export function compileGivenRatings(plan: Plan, leaf: FeedbackLeaf, limit: number) {
  const { tables, selectedJoin } = narrowing(plan, plan.rows?.intersection ?? false);
  const given = select(
    {
      trial: column.key(sql`trial_key`),
      user: column.text(sql`user_id`),
      creator: nullable(column.text(sql`creator`)),
      isBoolean: column.boolean(sql`kind = 1`),
      value: column.double(sql`number`),
    },
    sql` FROM (${givenRecords(plan, leaf)}) AS given${selectedJoin} LIMIT ${constant(limit)}`,
  );
  return query("given ratings", given, sql`${withTables(tables)}${given.sql}`);
}

/** The trials of the evaluations by digest of their row, then id. */
export function compileTrialNames(plan: Plan) {
  const names = select(
    {
      trial: column.key(sql`t.trial_key`),
      digest: column.text(sql`r.digest`),
      id: column.text(sql`t.id`),
    },
    sql` FROM trials AS t JOIN rows AS r ON r.row_key = t.row_key
      WHERE ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)} ORDER BY r.digest, t.id`,
  );
  return query("trial names", names);
}
