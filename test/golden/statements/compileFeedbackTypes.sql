SELECT feedback_type FROM (SELECT feedback_type, call_id, (svc_user_id, creator) AS giver, svc_user_id AS user_id, creator, created_at, id,
      CASE WHEN json_type(said) = 'BOOLEAN' THEN 1 ELSE 0 END AS kind, json_number(said) AS number
    FROM (SELECT *, CASE WHEN starts_with(feedback_type, 'svc.runnable.') THEN json_extract(content, $1)
  WHEN json_extract(content, $2) IS NOT NULL THEN json_extract(content, $3)
  ELSE CASE WHEN len(json_keys(content, $4)) = 1
    THEN json_extract(content, $5 || replace(replace(json_keys(content, $6)[1], '~', '~0'), '/', '~1')) END END AS said, json_text(json_extract(content, $7)) AS creator,
        regexp_extract(svc_ref, ':///[^/]+/[^/]+/call/([^/]+)$', 1) AS call_id
      FROM feedback WHERE project_id = $8)
    WHERE call_id <> '' AND (json_type(said) = 'BOOLEAN' OR json_type(said) IN ('UBIGINT', 'BIGINT', 'HUGEINT', 'UHUGEINT', 'DOUBLE')) AND json_number(said) IS NOT NULL) GROUP BY feedback_type ORDER BY feedback_type LIMIT 10;
-- $1 VARCHAR "/payload/output"
-- $2 VARCHAR "/payload/value"
-- $3 VARCHAR "/payload/value"
-- $4 VARCHAR "/payload"
-- $5 VARCHAR "/payload/"
-- $6 VARCHAR "/payload"
-- $7 VARCHAR "/creator"
-- $8 VARCHAR "acme/qa"
