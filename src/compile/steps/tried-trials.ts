import type { PlannedSide } from "../../plan/agreement-plan.ts";
import type { Plan } from "../../plan/plan.ts";
import { column, nullable, query, select } from "../../store/query.ts";
import { constant, EMPTY, join, sql, text } from "../../store/sql.ts";
import { inKeys } from "../relations/relations.ts";
import { type Narrowing, withTables } from "../rows/selected-rows.ts";
import { sideValues } from "../scores/side-records.ts";

/** The evaluations of the trials of a project with these ids. */
export function compileEvaluationsOf(projectKey: number, ids: readonly string[]) {
  const columns = { id: column.text(sql`t.id`), evaluationId: column.text(sql`e.id`) };
  const from = sql` FROM trials AS t JOIN evaluations AS e ON e.evaluation_key = t.evaluation_key
    WHERE e.project_key = ${constant(projectKey)} AND t.id IN (${join(ids.map((id) => sql`${text(id)}`))})`;
  return query("evaluations of trials", select(columns, from));
}

/** The trials of a plan on the rows that it selects, or those of them with these ids, and what a success says. */
export function compileTriedTrials(
  plan: Plan,
  success: PlannedSide | null,
  ids: readonly string[] | null,
  { tables, selectedJoin }: Narrowing,
) {
  const among = ids === null ? EMPTY : sql` AND id IN (${join(ids.map((id) => sql`${text(id)}`))})`;
  const trials = sql`SELECT trial_key, row_key, started_at, stop_reason FROM trials${selectedJoin}
    WHERE ${inKeys(sql`evaluation_key`, plan.evaluationKeys)}${among}`;
  const passed = success === null ? sql`NULL::DOUBLE` : sql`s.value`;
  const values =
    success === null
      ? EMPTY
      : sql` LEFT JOIN (${sideValues(plan, success, EMPTY, false)}) AS s ON s.trial_key = t.trial_key`;
  const found = select(
    {
      key: column.key(sql`t.trial_key`),
      row: column.key(sql`t.row_key`),
      startedAt: column.bigint(sql`t.started_at`),
      stopReason: nullable(column.text(sql`t.stop_reason`)),
      passed: nullable(column.double(passed)),
    },
    sql` FROM (${trials}) AS t${values}`,
  );
  return query("tried trials", found, sql`${withTables(tables)}${found.sql}`);
}
