import { constant, sql, type Sql } from "../../store/sql.ts";
import type { FieldSource, Plan } from "../../plan/plan.ts";
import { jsonReading } from "../filter/operand.ts";
import { inKeys, outputValue, scoreScope, scoreValue } from "../relations/relations.ts";
import { scoreValues } from "../scores/score-records.ts";

/** `FROM` with a `WHERE`: (row_key, evaluation_key, number) of the trials. Null where no trial has the field. */
export function numbersOf(plan: Plan, field: FieldSource): Sql | null {
  const json = (
    value: Sql,
  ) => sql`(SELECT t.row_key, t.evaluation_key, ${jsonReading(value, ({ number }) => number)} AS number
    FROM trials AS t WHERE ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)}) WHERE true`;
  switch (field.kind) {
    case "leaf":
      return sql`${scoreValues(plan, null, [field.pathKey])} WHERE path_key = ${constant(field.pathKey)}
    AND ${inKeys(sql`evaluation_key`, plan.evaluationKeys)}${scoreScope(plan, sql`scores`)}`;
    case "score":
      return json(scoreValue(plan, sql`t`, field.pointer));
    case "output":
      return json(outputValue(sql`t`, field));
    case "input":
    case "digest":
    case "error":
    case "missing":
      return null;
  }
}
