import { EMPTY, sql, type Sql } from "../model/sql.ts";
import type { Plan } from "../plan/plan.ts";
import { inKeys, scoreScope } from "./relations.ts";
import { scoreValues } from "./score-records.ts";
import { withTables, type Narrowing } from "./selected-rows.ts";

/** Trials that went wrong: a failed predict call counts with the children only. */
function erroredTrials(plan: Plan, { semi }: Narrowing): Sql {
  const own = plan.includeChildren ? EMPTY : sql` AND t.own`;
  return sql`errored AS MATERIALIZED (SELECT t.trial_key, t.evaluation_key FROM errored_trials AS t${semi}
      WHERE ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)}${own})`;
}

/** (evaluation_key, null, trials that went wrong), and (evaluation_key, path_key, other trials with null there). */
export function compileUnscored(plan: Plan, narrowing: Narrowing): Sql {
  const tables = withTables([...narrowing.tables, erroredTrials(plan, narrowing)]);
  return sql`${tables}SELECT evaluation_key, NULL, count(*) FROM errored GROUP BY evaluation_key
    UNION ALL SELECT t.evaluation_key, t.path_key, count(*) FROM null_scores AS t${narrowing.semi}
      ANTI JOIN errored USING (trial_key)
      WHERE ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)}${scoreScope(plan, sql`t`)}
      GROUP BY t.evaluation_key, t.path_key`;
}

/** (evaluation_key, path_key, trials that went wrong and have a value there all the same). */
export function compileScoredErrors(plan: Plan, narrowing: Narrowing): Sql {
  return sql`${withTables([...narrowing.tables, erroredTrials(plan, narrowing)])}SELECT v.evaluation_key, v.path_key, count(*)
    FROM ${scoreValues(plan, sql`v`)} SEMI JOIN errored USING (trial_key)
    WHERE ${inKeys(sql`v.evaluation_key`, plan.evaluationKeys)}${scoreScope(plan, sql`v`)}
    GROUP BY v.evaluation_key, v.path_key`;
}
