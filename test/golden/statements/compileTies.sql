WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)) SELECT count(DISTINCT trial_key) FROM (SELECT row_key, trial_key FROM (SELECT k.path_key, c.evaluation_key, c.row_key, c.trial_key, f.kind, f.number, f.created_at, f.id
      FROM (SELECT feedback_type, call_id, giver, user_id, creator, created_at, id,
      CASE WHEN json_type(said) = 'BOOLEAN' THEN 1 ELSE 0 END AS kind, json_number(said) AS number
    FROM (SELECT feedback_type, call_id, (svc_user_id, creator, NULL) AS giver, svc_user_id AS user_id, creator, created_at, id,
      CASE WHEN starts_with(feedback_type, 'svc.runnable.') THEN json_extract(content, $2)
  WHEN json_extract(content, $3) IS NOT NULL THEN json_extract(content, $4)
  ELSE CASE WHEN len(json_keys(content, $5)) = 1
    THEN json_extract(content, $6 || replace(replace(json_keys(content, $7)[1], '~', '~0'), '/', '~1')) END END AS said FROM (SELECT *, json_text(json_extract(content, $8)) AS creator,
        regexp_extract(svc_ref, ':///[^/]+/[^/]+/call/([^/]+)$', 1) AS call_id
      FROM feedback WHERE project_id = $9 AND true) UNION ALL SELECT concat(feedback_type, ':', name) AS feedback_type, call_id, giver, svc_user_id AS user_id,
      CASE WHEN scorer <> '' THEN scorer ELSE creator END AS creator, created_at, id, said
    FROM (SELECT *, json_extract(ratings, '/' || replace(replace(name, '~', '~0'), '/', '~1')) AS said
      FROM (SELECT *, unnest(list_distinct(list_concat(
      CASE WHEN json_type(ratings) = 'OBJECT' THEN json_keys(ratings) ELSE [] END))) AS name
        FROM (SELECT *, (svc_user_id, creator, regexp_extract(json_text(json_extract(content, $10)),
      ':///[^/]+/[^/]+/(?:object|op)/([^/:]+):', 1)) AS giver, regexp_extract(json_text(json_extract(content, $11)),
      ':///[^/]+/[^/]+/(?:object|op)/([^/:]+):', 1) AS scorer,
            json_extract(content, $12) AS ratings FROM (SELECT *, json_text(json_extract(content, $13)) AS creator,
        regexp_extract(svc_ref, ':///[^/]+/[^/]+/call/([^/]+)$', 1) AS call_id
      FROM feedback WHERE project_id = $14 AND contains(content, '"scorer_ratings"')))))
    WHERE json_type(said) IN ('UBIGINT', 'BIGINT', 'HUGEINT', 'UHUGEINT', 'DOUBLE'))
    WHERE call_id <> '' AND (json_type(said) = 'BOOLEAN' OR json_type(said) IN ('UBIGINT', 'BIGINT', 'HUGEINT', 'UHUGEINT', 'DOUBLE')) AND json_number(said) IS NOT NULL) AS f
        JOIN (VALUES (-1, $15)) AS k(path_key, feedback_type) ON k.feedback_type = f.feedback_type
        JOIN (SELECT id AS call_id, evaluation_key, row_key, trial_key FROM (SELECT id, predict_call_id, evaluation_key, row_key, trial_key FROM trials
    WHERE evaluation_key IN (1, 2)) UNION ALL SELECT predict_call_id, evaluation_key, row_key, trial_key FROM (SELECT id, predict_call_id, evaluation_key, row_key, trial_key FROM trials
    WHERE evaluation_key IN (1, 2))
        WHERE predict_call_id IS NOT NULL AND predict_call_id <> id) AS c
          ON c.call_id = f.call_id
        QUALIFY row_number() OVER (PARTITION BY k.path_key, c.trial_key, f.giver
          ORDER BY f.created_at DESC, f.id DESC) = 1) GROUP BY path_key, row_key, trial_key
    HAVING min(kind) = 1 AND 2 * sum(number) = count(*)) AS tied JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key);
-- $1 DOUBLE 0.9
-- $2 VARCHAR "/payload/output"
-- $3 VARCHAR "/payload/value"
-- $4 VARCHAR "/payload/value"
-- $5 VARCHAR "/payload"
-- $6 VARCHAR "/payload/"
-- $7 VARCHAR "/payload"
-- $8 VARCHAR "/creator"
-- $9 VARCHAR "acme/qa"
-- $10 VARCHAR "/runnable_ref"
-- $11 VARCHAR "/runnable_ref"
-- $12 VARCHAR "/weave/scorer_ratings"
-- $13 VARCHAR "/creator"
-- $14 VARCHAR "acme/qa"
-- $15 VARCHAR "ok"
