SELECT feedback_type FROM (SELECT feedback_type, call_id, (svc_user_id, creator) AS giver, created_at, id,
      CASE WHEN json_type(said) = 'BOOLEAN' THEN 1 ELSE 0 END AS kind, json_number(said) AS number
    FROM (SELECT *, CASE WHEN starts_with(feedback_type, 'svc.runnable.') THEN json_extract(content, '/payload/output')
  WHEN json_exists(content, '/payload/value') THEN json_extract(content, '/payload/value')
  WHEN len(json_keys(content, '/payload')) = 1 THEN json_extract(content,
    '/payload/' || replace(replace(json_keys(content, '/payload')[1], '~', '~0'), '/', '~1')) END AS said, json_extract_string(content, '/creator') AS creator,
        regexp_extract(svc_ref, ':///[^/]+/[^/]+/call/([^/]+)$', 1) AS call_id
      FROM feedback WHERE project_id = $1)
    WHERE call_id <> '' AND (json_type(said) = 'BOOLEAN' OR json_type(said) IN ('UBIGINT', 'BIGINT', 'HUGEINT', 'UHUGEINT', 'DOUBLE')) AND json_number(said) IS NOT NULL) GROUP BY feedback_type ORDER BY feedback_type LIMIT 10;
-- $1 VARCHAR "acme/qa"
