import type { Key } from "../../model/digest.ts";
import { column, query, select, type Query } from "../../store/query.ts";
import { constant, EMPTY, sql, type Sql } from "../../store/sql.ts";
import type { Plan } from "../../plan/plan.ts";
import { inKeys } from "../relations/relations.ts";
import { amongKeys, firstBy } from "../relations/spelled.ts";

interface FailedTrial {
  readonly trialKey: Key;
}

/** The trials of some rows that went wrong: few, mostly none. */
export function compileFailedTrials(plan: Plan, rowKeys: readonly Key[]): Query<FailedTrial> {
  const own = plan.includeChildren ? EMPTY : sql` AND own`;
  const failed = select(
    { trialKey: column.key(sql`trial_key`) },
    sql` FROM errored_trials WHERE ${amongKeys(sql`row_key`, rowKeys)}
    AND ${inKeys(sql`evaluation_key`, plan.evaluationKeys)}${own}`,
  );
  return query("failed trials", failed);
}

/** The exceptions of these trials: of their own calls, else of their predict calls. */
export function compileTrialErrors(
  plan: Plan,
  trials: readonly FailedTrial[],
): Query<{ readonly trialKey: Key; readonly error: string }> {
  const keys = trials.map(({ trialKey }) => trialKey);
  const errors = select(
    { trialKey: column.key(sql`trial_key`), error: column.text(sql`error`) },
    sql` FROM (${trialErrors(plan, (key) => amongKeys(key, keys))})`,
  );
  return query("trial errors", errors);
}

/** (trial_key, error) of the trials whose keys are wanted. */
export function trialErrors(plan: Plan, isWanted: (key: Sql) => Sql): Sql {
  const project = constant(plan.projectKey);
  const predict = sql` UNION ALL SELECT t.trial_key, p.exception, 1 AS place FROM trials AS t
      JOIN calls AS p ON p.id_hash = md5_number_lower(concat(${project}, ':', t.predict_call_id))
        AND p.id = t.predict_call_id AND p.project_key = ${project} AND NOT p.hidden
      WHERE ${isWanted(sql`t.trial_key`)} AND p.exception <> ''`;
  return sql`SELECT trial_key, ${firstBy(sql`exception`, sql`place`)} AS error
    FROM (SELECT call_key AS trial_key, exception, 0 AS place FROM calls
      WHERE ${isWanted(sql`call_key`)} AND exception <> ''${plan.includeChildren ? predict : EMPTY})
    GROUP BY trial_key`;
}
