import { column, query, select, type Query } from "../../store/query.ts";
import { constant, join, sql, text, type Sql } from "../../store/sql.ts";
import type { FeedbackLeaf } from "../../plan/virtual-leaves.ts";

/**
 * The value of a feedback record, as JSON: the number or boolean at `value` of its payload (`output` for svc.runnable
 * types), or, where the payload has no `value`, its only member; else null.
 */
const SAID = sql`CASE WHEN starts_with(feedback_type, 'svc.runnable.') THEN json_extract(content, '/payload/output')
  WHEN json_exists(content, '/payload/value') THEN json_extract(content, '/payload/value')
  WHEN len(json_keys(content, '/payload')) = 1 THEN json_extract(content,
    '/payload/' || replace(replace(json_keys(content, '/payload')[1], '~', '~0'), '/', '~1')) END`;

const NUMERIC = sql`('UBIGINT', 'BIGINT', 'HUGEINT', 'UHUGEINT', 'DOUBLE')`;

/** (feedback_type, call_id, giver, created_at, id, kind, number): feedback on calls with a number or boolean. */
function sayings(projectId: string): Sql {
  return sql`SELECT feedback_type, call_id, (svc_user_id, creator) AS giver, created_at, id,
      CASE WHEN json_type(said) = 'BOOLEAN' THEN 1 ELSE 0 END AS kind, json_number(said) AS number
    FROM (SELECT *, ${SAID} AS said, json_extract_string(content, '/creator') AS creator,
        regexp_extract(svc_ref, ':///[^/]+/[^/]+/call/([^/]+)$', 1) AS call_id
      FROM feedback WHERE project_id = ${text(projectId)})
    WHERE call_id <> '' AND (json_type(said) = 'BOOLEAN' OR json_type(said) IN ${NUMERIC}) AND json_number(said) IS NOT NULL`;
}

/** The types of feedback with a number or boolean on a call of the project, in order, at most `limit` of them. */
export function compileFeedbackTypes(projectId: string, limit: number): Query<{ readonly type: string }> {
  const types = select(
    { type: column.text(sql`feedback_type`) },
    sql` FROM (${sayings(projectId)}) GROUP BY feedback_type ORDER BY feedback_type LIMIT ${constant(limit)}`,
  );
  return query("feedback types", types);
}

/**
 * The records of feedback dimensions, in the columns of `scores`. Feedback belongs to a trial when it refers to its
 * predict-and-score call or, where children are included, to its predict call. The latest feedback of each giver
 * counts. If all are booleans, the majority decides, and a tie gives no score; else all count as numbers, and the score
 * is their mean. `trials`: (id, predict_call_id, evaluation_key, row_key, trial_key).
 */
export function feedbackRecords(
  projectId: string,
  leaves: readonly FeedbackLeaf[],
  includeChildren: boolean,
  trials: Sql,
): Sql {
  const keys = join(
    leaves.map(({ key, feedbackType }) => sql`(${constant(key)}, ${text(feedbackType)})`),
    sql`, `,
  );
  const predictions = includeChildren
    ? sql` UNION ALL SELECT predict_call_id, evaluation_key, row_key, trial_key FROM (${trials})
        WHERE predict_call_id IS NOT NULL AND predict_call_id <> id`
    : sql``;
  return sql`SELECT path_key, evaluation_key, row_key, trial_key, kind::UTINYINT AS kind, false AS late,
      number, NULL::VARCHAR AS text
    FROM (SELECT path_key, evaluation_key, row_key, trial_key, min(kind) AS kind, finite(CASE WHEN min(kind) = 0
        THEN CASE WHEN count(*) < 3 THEN sum(number) ELSE list_aggregate(list_sort(list(number)), 'fsum') END / count(*)
        WHEN 2 * sum(number) <> count(*) THEN CAST(2 * sum(number) > count(*) AS DOUBLE) END) AS number
      FROM (SELECT k.path_key, c.evaluation_key, c.row_key, c.trial_key, f.kind, f.number FROM (${sayings(projectId)}) AS f
        JOIN (VALUES ${keys}) AS k(path_key, feedback_type) ON k.feedback_type = f.feedback_type
        JOIN (SELECT id AS call_id, evaluation_key, row_key, trial_key FROM (${trials})${predictions}) AS c
          ON c.call_id = f.call_id
        QUALIFY row_number() OVER (PARTITION BY k.path_key, c.trial_key, f.giver
          ORDER BY f.created_at DESC, f.id DESC) = 1)
      GROUP BY path_key, evaluation_key, row_key, trial_key)
    WHERE number IS NOT NULL`;
}
