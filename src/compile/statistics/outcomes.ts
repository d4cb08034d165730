import { EMPTY, sql, type Sql } from "../../store/sql.ts";
import type { Plan } from "../../plan/plan.ts";
import { inKeys, scoreScope } from "../relations/relations.ts";
import { scoreValues } from "../scores/score-records.ts";
import { withTables, type Narrowing } from "../rows/selected-rows.ts";

/** Trials that went wrong: a failed predict call counts with the children only. */
function erroredTrials(plan: Plan, { semi }: Narrowing): Sql {
  const own = plan.includeChildren ? EMPTY : sql` AND t.own`;
  return sql`errored AS MATERIALIZED (SELECT t.trial_key, t.evaluation_key FROM errored_trials AS t${semi}
      WHERE ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)}${own})`;
}

/**
 * (evaluation_key, null, trials that went wrong, 0), and (evaluation_key, path_key, trials with null there, those of
 * them that went wrong).
 */
export function compileUnscored(plan: Plan, narrowing: Narrowing): Sql {
  const tables = withTables([...narrowing.tables, erroredTrials(plan, narrowing)]);
  return sql`${tables}SELECT evaluation_key, NULL, count(*), 0 FROM errored GROUP BY evaluation_key
    UNION ALL SELECT t.evaluation_key, t.path_key, count(*), count(e.trial_key) FROM null_scores AS t${narrowing.semi}
      LEFT JOIN errored AS e ON e.trial_key = t.trial_key
      WHERE ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)}${scoreScope(plan, sql`t`)}
      GROUP BY t.evaluation_key, t.path_key`;
}

/** (evaluation_key, path_key, trials that went wrong and have a value there all the same) of some places. */
export function compileScoredErrors(plan: Plan, narrowing: Narrowing, pathKeys: readonly number[]): Sql {
  return sql`${withTables([...narrowing.tables, erroredTrials(plan, narrowing)])}SELECT v.evaluation_key, v.path_key, count(*)
    FROM ${scoreValues(plan, sql`v`, pathKeys)} SEMI JOIN errored USING (trial_key)
    WHERE ${inKeys(sql`v.evaluation_key`, plan.evaluationKeys)} AND ${inKeys(sql`v.path_key`, pathKeys)}${scoreScope(plan, sql`v`)}
    GROUP BY v.evaluation_key, v.path_key`;
}
