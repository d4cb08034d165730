WITH own AS (SELECT id, evaluation_key FROM evaluations
    WHERE project_key = 3 AND NOT hidden) SELECT c.evaluation, bool_or(f.feedback_type = $1) FROM (SELECT feedback_type, regexp_extract(svc_ref, ':///[^/]+/[^/]+/call/([^/]+)$', 1) AS call_id
    FROM feedback WHERE project_id = $2) AS f JOIN (SELECT id AS call_id, id AS evaluation FROM own
    UNION ALL SELECT t.id AS call_id, own.id AS evaluation
      FROM trials AS t JOIN own ON own.evaluation_key = t.evaluation_key
    UNION ALL SELECT t.predict_call_id AS call_id, own.id AS evaluation
      FROM trials AS t JOIN own ON own.evaluation_key = t.evaluation_key WHERE t.predict_call_id IS NOT NULL) AS c ON c.call_id = f.call_id GROUP BY c.evaluation;
-- $1 VARCHAR "evalcube.baseline"
-- $2 VARCHAR "acme/qa"
