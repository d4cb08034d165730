import type { Plan } from "../../plan/plan.ts";
import { ERROR_STEPS, MOST_ERROR_CHARACTERS, NO_MESSAGE, NO_OUTPUT } from "../../model/messages.ts";
import { constant, EMPTY, sql, type Sql, text } from "../../store/sql.ts";
import { inKeys } from "./relations.ts";
import { beginning, firstBy, replaced } from "./spelled.ts";

/** In which project a failure is looked for, and whether predict calls count. */
type FailureScope = Pick<Plan, "projectKey" | "includeChildren">;

/**
 * (trial_key, error) of the trials whose keys are wanted: the exceptions of their own calls, else of their predict
 * calls.
 */
export function trialErrors({ projectKey, includeChildren }: FailureScope, isWanted: (key: Sql) => Sql): Sql {
  const project = constant(projectKey);
  // The trials come first: else all of the project are hashed.
  const wanted = sql`SELECT trial_key, predict_call_id FROM trials WHERE ${isWanted(sql`trial_key`)}`;
  const predict = sql` UNION ALL SELECT t.trial_key, p.exception, 1 AS place FROM (${wanted}) AS t
      JOIN calls AS p ON p.id_hash = md5_number_lower(concat(${project}, ':', t.predict_call_id))
        AND p.id = t.predict_call_id AND p.project_key = ${project} AND NOT p.hidden
      WHERE p.exception <> ''`;
  return sql`SELECT trial_key, ${firstBy(sql`exception`, sql`place`)} AS error
    FROM (SELECT call_key AS trial_key, exception, 0 AS place FROM calls
      WHERE ${isWanted(sql`call_key`)} AND exception <> ''${includeChildren ? predict : EMPTY})
    GROUP BY trial_key`;
}

/**
 * The trials in error for which `among` holds, as the relation `failed` (evaluation_key, row_key, trial_key) of a WITH
 * clause.
 */
export function failedTrials({ includeChildren }: FailureScope, among: Sql): Sql {
  const own = includeChildren ? EMPTY : sql` AND own`;
  return sql`failed AS MATERIALIZED (SELECT evaluation_key, row_key, trial_key FROM errored_trials
    WHERE ${among}${own})`;
}

/**
 * (evaluation_key, row_key, trial_key, stated) of all trials of `failed`; `stated` is null where no exception is
 * stored.
 */
export function statedErrors(scope: FailureScope): Sql {
  const errors = trialErrors(scope, (key) => sql`${key} IN (SELECT trial_key FROM failed)`);
  return sql`SELECT f.evaluation_key AS evaluation_key, f.row_key AS row_key, f.trial_key AS trial_key, x.error AS stated
    FROM failed AS f LEFT JOIN (${errors}) AS x ON x.trial_key = f.trial_key`;
}

/** The text by which an error is grouped, see `groupedError`; of a failed call without an exception too. */
export function groupedText(stated: Sql): Sql {
  const whole = ERROR_STEPS.reduce(
    (before, { pattern, by }) => replaced(before, sql`${text(pattern)}`, sql`${text(by)}`),
    stated,
  );
  return sql`coalesce(coalesce(nullIf(${beginning(whole, MOST_ERROR_CHARACTERS)}, ''),
    CASE WHEN ${stated} IS NOT NULL THEN ${text(NO_MESSAGE)} END), ${text(NO_OUTPUT)})`;
}

/** (trial_key, error): the text by which the error of each trial in error of these evaluations is grouped. */
export function groupedErrors(scope: FailureScope, evaluationKeys: readonly number[]): Sql {
  const failed = failedTrials(scope, inKeys(sql`evaluation_key`, evaluationKeys));
  return sql`WITH ${failed} SELECT trial_key, ${groupedText(sql`stated`)} AS error FROM (${statedErrors(scope)})`;
}
