import { column, query, select } from "../../store/query.ts";
import { constant, sql } from "../../store/sql.ts";
import { groupedText, statedErrors } from "../relations/failures.ts";
import { firstBy, wideSum } from "../relations/spelled.ts";

/** The errors of the evaluations of a project that have any. */
export function compileListedErrors(projectKey: number) {
  const failed = sql`failed AS MATERIALIZED (SELECT x.evaluation_key AS evaluation_key, x.row_key AS row_key, x.trial_key AS trial_key
    FROM errored_trials AS x JOIN evaluations AS e ON e.evaluation_key = x.evaluation_key
    WHERE e.project_key = ${constant(projectKey)} AND NOT e.hidden)`;
  const texts = sql`SELECT evaluation_key, stated, count(*)::BIGINT AS times
    FROM (${statedErrors({ projectKey, includeChildren: true })}) GROUP BY evaluation_key, stated`;
  const groups = sql`SELECT evaluation_key, grouped, ${wideSum(sql`times`)} AS n
    FROM (SELECT evaluation_key, times, ${groupedText(sql`stated`)} AS grouped FROM (${texts})) GROUP BY evaluation_key, grouped`;
  const errors = select(
    {
      /** Id of the evaluation. */
      id: column.text(sql`e.id`),
      count: column.integer(sql`g.total`),
      /** Their most frequent text, of several the first by code point. */
      top: column.text(sql`g.top`),
    },
    sql` FROM (SELECT evaluation_key, ${wideSum(sql`n`)} AS total, ${firstBy(sql`grouped`, sql`-n, grouped`)} AS top
      FROM (${groups}) GROUP BY evaluation_key) AS g JOIN evaluations AS e ON e.evaluation_key = g.evaluation_key`,
  );
  return query("listed errors", errors, sql`WITH ${failed} ${errors.sql}`);
}
