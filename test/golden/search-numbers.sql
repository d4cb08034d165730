WITH selected AS MATERIALIZED (SELECT row_key FROM (SELECT row_key FROM trials WHERE evaluation_key IN (1, 2)
    GROUP BY row_key HAVING bit_count(bit_or(1::BIGINT << (evaluation_key - 1))) = 2) SEMI JOIN (SELECT row_key FROM (
    SELECT t.row_key FROM trials AS t WHERE t.evaluation_key IN (1, 2) AND contains(lower(t.output), lower($1))
    AND regexp_matches(lower(list_filter([CAST(model_output(t.output, '') AS VARCHAR)], lambda spelled: spelled <> 'null')[1]), lower($2))
    UNION ALL SELECT r.row_key FROM (SELECT row_key, digest, coalesce(val, inline_example) AS document FROM rows
      WHERE project_key = 1) AS r SEMI JOIN (SELECT row_key FROM trials WHERE evaluation_key IN (1, 2) GROUP BY row_key) AS tried USING (row_key)
      WHERE contains(lower(r.document), lower($3))
    AND regexp_matches(lower(r.document), lower($4)))
    GROUP BY row_key) AS kept USING (row_key))
    SELECT s.row_key, digest, (SELECT count(*) FROM selected) FROM (FROM selected UNION ALL SELECT -1) AS s JOIN rows AS d ON d.row_key = s.row_key ORDER BY d.digest;
-- $1 VARCHAR "5.5"
-- $2 VARCHAR "(?:^(?:[^\"n]|null|\"(?:[^\"\\\\]|\\\\[^u]|\\\\u[0-9a-f]{4})*\")*?\"(?:[^\"\\\\]|\\\\[^u]|\\\\u[0-9a-f]{4})*?5\\.5(?:[^\"\\\\]|\\\\[^u]|\\\\u[0-9a-f]{4})*\"(?:[^:]|$))|(?:^(?:[^\"n]|null|\"(?:[^\"\\\\]|\\\\[^u]|\\\\u[0-9a-f]{4})*\")*?5\\.5)"
-- $3 VARCHAR "5.5"
-- $4 VARCHAR "(?:^(?:[^\"n]|null|\"(?:[^\"\\\\]|\\\\[^u]|\\\\u[0-9a-f]{4})*\")*?\"(?:[^\"\\\\]|\\\\[^u]|\\\\u[0-9a-f]{4})*?5\\.5(?:[^\"\\\\]|\\\\[^u]|\\\\u[0-9a-f]{4})*\"(?:[^:]|$))|(?:^(?:[^\"n]|null|\"(?:[^\"\\\\]|\\\\[^u]|\\\\u[0-9a-f]{4})*\")*?5\\.5)"
