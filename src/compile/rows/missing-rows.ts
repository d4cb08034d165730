import { constant, sql, type Sql } from "../../store/sql.ts";
import type { FieldSource, Plan } from "../../plan/plan.ts";
import { presentRows } from "../relations/relations.ts";
import { numbersOf } from "./trial-numbers.ts";
import { countEvaluations } from "../relations/spelled.ts";

/** (row_key): the rows on which a requested evaluation has no number in a field, whether it ran them or not. */
export function missingRows(plan: Plan, field: FieldSource): Sql {
  const all = presentRows(plan, false);
  const numbers = numbersOf(plan, field);
  if (numbers === null || plan.evaluationKeys.length < plan.requestedCount) return all;
  const valued = countEvaluations(plan.evaluationKeys, sql`evaluation_key`);
  return sql`SELECT row_key FROM (${all}) ANTI JOIN (SELECT row_key FROM ${numbers} AND number IS NOT NULL
    GROUP BY row_key HAVING ${valued} = ${constant(plan.requestedCount)}) AS valued USING (row_key)`;
}
