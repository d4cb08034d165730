SELECT feedback_type FROM (SELECT feedback_type, call_id, giver, user_id, creator, created_at, id,
      CASE WHEN json_type(said) = 'BOOLEAN' THEN 1 ELSE 0 END AS kind, json_number(said) AS number
    FROM (SELECT feedback_type, call_id, (svc_user_id, creator, NULL) AS giver, svc_user_id AS user_id, creator, created_at, id,
      CASE WHEN starts_with(feedback_type, 'svc.runnable.') THEN json_extract(content, $1)
  WHEN json_extract(content, $2) IS NOT NULL THEN json_extract(content, $3)
  ELSE CASE WHEN len(json_keys(content, $4)) = 1
    THEN json_extract(content, $5 || replace(replace(json_keys(content, $6)[1], '~', '~0'), '/', '~1')) END END AS said FROM (SELECT *, json_text(json_extract(content, $7)) AS creator,
        regexp_extract(svc_ref, ':///[^/]+/[^/]+/call/([^/]+)$', 1) AS call_id
      FROM feedback WHERE project_id = $8 AND true) UNION ALL SELECT concat(feedback_type, ':', name) AS feedback_type, call_id, giver, svc_user_id AS user_id,
      CASE WHEN scorer <> '' THEN scorer ELSE creator END AS creator, created_at, id, said
    FROM (SELECT *, json_extract(ratings, '/' || replace(replace(name, '~', '~0'), '/', '~1')) AS said
      FROM (SELECT *, unnest(list_distinct(list_concat(
      CASE WHEN json_type(ratings) = 'OBJECT' THEN json_keys(ratings) ELSE [] END))) AS name
        FROM (SELECT *, (svc_user_id, creator, regexp_extract(json_text(json_extract(content, $9)),
      ':///[^/]+/[^/]+/(?:object|op)/([^/:]+):', 1)) AS giver, regexp_extract(json_text(json_extract(content, $10)),
      ':///[^/]+/[^/]+/(?:object|op)/([^/:]+):', 1) AS scorer,
            json_extract(content, $11) AS ratings FROM (SELECT *, json_text(json_extract(content, $12)) AS creator,
        regexp_extract(svc_ref, ':///[^/]+/[^/]+/call/([^/]+)$', 1) AS call_id
      FROM feedback WHERE project_id = $13 AND contains(content, '"scorer_ratings"')))))
    WHERE json_type(said) IN ('UBIGINT', 'BIGINT', 'HUGEINT', 'UHUGEINT', 'DOUBLE'))
    WHERE call_id <> '' AND (json_type(said) = 'BOOLEAN' OR json_type(said) IN ('UBIGINT', 'BIGINT', 'HUGEINT', 'UHUGEINT', 'DOUBLE')) AND json_number(said) IS NOT NULL) GROUP BY feedback_type ORDER BY feedback_type LIMIT 10;
-- $1 VARCHAR "/payload/output"
-- $2 VARCHAR "/payload/value"
-- $3 VARCHAR "/payload/value"
-- $4 VARCHAR "/payload"
-- $5 VARCHAR "/payload/"
-- $6 VARCHAR "/payload"
-- $7 VARCHAR "/creator"
-- $8 VARCHAR "acme/qa"
-- $9 VARCHAR "/runnable_ref"
-- $10 VARCHAR "/runnable_ref"
-- $11 VARCHAR "/weave/scorer_ratings"
-- $12 VARCHAR "/creator"
-- $13 VARCHAR "acme/qa"
