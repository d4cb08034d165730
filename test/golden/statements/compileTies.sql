WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1)) GROUP BY "s0".row_key HAVING count(*) > 0)) SELECT count(DISTINCT trial_key) FROM (SELECT row_key, trial_key FROM (SELECT k.path_key, c.evaluation_key, c.row_key, c.trial_key, f.kind, f.number, f.created_at, f.id
      FROM (SELECT feedback_type, call_id, (svc_user_id, creator) AS giver, created_at, id,
      CASE WHEN json_type(said) = 'BOOLEAN' THEN 1 ELSE 0 END AS kind, json_number(said) AS number
    FROM (SELECT *, CASE WHEN starts_with(feedback_type, 'svc.runnable.') THEN json_extract(content, '/payload/output')
  WHEN json_exists(content, '/payload/value') THEN json_extract(content, '/payload/value')
  WHEN len(json_keys(content, '/payload')) = 1 THEN json_extract(content,
    '/payload/' || replace(replace(json_keys(content, '/payload')[1], '~', '~0'), '/', '~1')) END AS said, json_extract_string(content, '/creator') AS creator,
        regexp_extract(svc_ref, ':///[^/]+/[^/]+/call/([^/]+)$', 1) AS call_id
      FROM feedback WHERE project_id = $2)
    WHERE call_id <> '' AND (json_type(said) = 'BOOLEAN' OR json_type(said) IN ('UBIGINT', 'BIGINT', 'HUGEINT', 'UHUGEINT', 'DOUBLE')) AND json_number(said) IS NOT NULL) AS f
        JOIN (VALUES (-1, $3)) AS k(path_key, feedback_type) ON k.feedback_type = f.feedback_type
        JOIN (SELECT id AS call_id, evaluation_key, row_key, trial_key FROM (SELECT id, predict_call_id, evaluation_key, row_key, trial_key FROM trials
    WHERE evaluation_key IN (1, 2)) UNION ALL SELECT predict_call_id, evaluation_key, row_key, trial_key FROM (SELECT id, predict_call_id, evaluation_key, row_key, trial_key FROM trials
    WHERE evaluation_key IN (1, 2))
        WHERE predict_call_id IS NOT NULL AND predict_call_id <> id) AS c
          ON c.call_id = f.call_id
        QUALIFY row_number() OVER (PARTITION BY k.path_key, c.trial_key, f.giver
          ORDER BY f.created_at DESC, f.id DESC) = 1) GROUP BY path_key, row_key, trial_key
    HAVING min(kind) = 1 AND 2 * sum(number) = count(*)) AS tied JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key);
-- $1 DOUBLE 0.9
-- $2 VARCHAR "acme/qa"
-- $3 VARCHAR "ok"
