import type { Key } from "../../model/digest.ts";
import { column, query, select } from "../../store/query.ts";
import { EMPTY, sql } from "../../store/sql.ts";
import type { Plan } from "../../plan/plan.ts";
import { inKeys } from "../relations/relations.ts";
import { trialErrors } from "../relations/failures.ts";
import { amongKeys } from "../relations/spelled.ts";

/** The trials of some rows that went wrong: few, mostly none. */
export function compileFailedTrials(plan: Plan, rowKeys: readonly Key[]) {
  const own = plan.includeChildren ? EMPTY : sql` AND own`;
  const failed = select(
    { trialKey: column.key(sql`trial_key`) },
    sql` FROM errored_trials WHERE ${amongKeys(sql`row_key`, rowKeys)}
    AND ${inKeys(sql`evaluation_key`, plan.evaluationKeys)}${own}`,
  );
  return query("failed trials", failed);
}

/** The exceptions of these trials: of their own calls, else of their predict calls. */
export function compileTrialErrors(plan: Plan, keys: readonly Key[]) {
  const errors = select(
    { trialKey: column.key(sql`trial_key`), error: column.text(sql`error`) },
    sql` FROM (${trialErrors(plan, (key) => amongKeys(key, keys))})`,
  );
  return query("trial errors", errors);
}
