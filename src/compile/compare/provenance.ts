import { column, query, select } from "../../store/query.ts";
import { sql } from "../../store/sql.ts";
import type { Plan } from "../../plan/plan.ts";
import { inKeys } from "../relations/relations.ts";
import { withTables, type Narrowing } from "../rows/selected-rows.ts";
import { STORED_ORDER } from "../relations/spelled.ts";

/** The prefixes of the row references of each evaluation, which identify the version of its dataset. */
export function compileDatasets(plan: Plan, narrowing: Narrowing) {
  const prefixes = select(
    { evaluationKey: column.integer(sql`evaluation_key`), prefix: column.text(sql`reference_prefix`) },
    sql` FROM trials${narrowing.selectedJoin}
    WHERE ${inKeys(sql`evaluation_key`, plan.evaluationKeys)} AND reference_prefix IS NOT NULL
    GROUP BY ALL ORDER BY evaluation_key, reference_prefix`,
  );
  return query("datasets", prefixes, sql`${withTables(narrowing.tables)}${prefixes.sql}`);
}

/** The scorer calls of the first stored trial of each evaluation: a JSON object with the call id of each scorer. */
export function compileFirstScorerCalls(plan: Plan) {
  const calls = select(
    { evaluationKey: column.integer(sql`evaluation_key`), ids: column.text(sql`scorer_call_ids`) },
    sql` FROM trials WHERE scorer_call_ids IS NOT NULL AND ${STORED_ORDER} IN (
    SELECT min(${STORED_ORDER}) FROM trials WHERE ${inKeys(sql`evaluation_key`, plan.evaluationKeys)} GROUP BY evaluation_key)`,
  );
  return query("first scorer calls", calls);
}
