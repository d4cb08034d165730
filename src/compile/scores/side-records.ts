import { TEXT } from "../../model/score-kind.ts";
import { constant, sql, type Sql } from "../../store/sql.ts";
import type { PlannedSide } from "../../plan/agreement-plan.ts";
import type { Plan } from "../../plan/plan.ts";
import { inKeys, scoreScope } from "../relations/relations.ts";
import { scoreValues } from "./score-records.ts";

/** The score records of one dimension on the selected rows. */
export function sideRecords(plan: Plan, side: PlannedSide, selectedJoin: Sql): Sql {
  return sql`SELECT trial_key, row_key, evaluation_key, kind, number, text
    FROM ${scoreValues(plan, null, [side.pathKey])}${selectedJoin} WHERE path_key = ${constant(side.pathKey)}
    AND ${inKeys(sql`evaluation_key`, plan.evaluationKeys)}${scoreScope(plan, sql`scores`)}`;
}

/** (trial_key, row_key, evaluation_key, value): the numbers, true as 1, false as 0, or the texts of one dimension. */
export function sideValues(plan: Plan, side: PlannedSide, selectedJoin: Sql, isText: boolean): Sql {
  return isText
    ? sql`SELECT trial_key, row_key, evaluation_key, text AS value FROM (${sideRecords(plan, side, selectedJoin)}) WHERE kind = ${constant(TEXT)}`
    : sql`SELECT trial_key, row_key, evaluation_key, number AS value FROM (${sideRecords(plan, side, selectedJoin)})
        WHERE kind < ${constant(TEXT)} AND number IS NOT NULL`;
}
