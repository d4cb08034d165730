import { column, query, select } from "../../store/query.ts";
import { constant, sql, text } from "../../store/sql.ts";
import { some } from "../relations/spelled.ts";

/**
 * The evaluations of a project that have feedback, on themselves or on the calls of their trials, and whether some of
 * it has a type.
 */
export function compileEvaluationsWithFeedback(projectId: string, projectKey: number, type: string) {
  const given = sql`SELECT feedback_type, regexp_extract(svc_ref, ':///[^/]+/[^/]+/call/([^/]+)$', 1) AS call_id
    FROM feedback WHERE project_id = ${text(projectId)}`;
  const own = sql`SELECT id, evaluation_key FROM evaluations
    WHERE project_key = ${constant(projectKey)} AND NOT hidden`;
  const calls = sql`SELECT id AS call_id, id AS evaluation FROM own
    UNION ALL SELECT t.id AS call_id, own.id AS evaluation
      FROM trials AS t JOIN own ON own.evaluation_key = t.evaluation_key
    UNION ALL SELECT t.predict_call_id AS call_id, own.id AS evaluation
      FROM trials AS t JOIN own ON own.evaluation_key = t.evaluation_key WHERE t.predict_call_id IS NOT NULL`;
  const marked = select(
    {
      id: column.text(sql`c.evaluation`),
      named: column.boolean(some(sql`f.feedback_type = ${text(type)}`)),
    },
    sql` FROM (${given}) AS f JOIN (${calls}) AS c ON c.call_id = f.call_id GROUP BY c.evaluation`,
  );
  return query("evaluations with feedback", marked, sql`WITH own AS (${own}) ${marked.sql}`);
}
