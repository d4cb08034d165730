WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)),
    page AS MATERIALIZED (SELECT row_key, digest, row_number() OVER () - 1 AS place
      FROM (SELECT s.row_key, d.digest FROM (WITH keyed AS MATERIALIZED (SELECT row_key, k.number FROM (SELECT row_key, nearest_double(sum(CAST(trunc(number * 9.007199254740992e+15::DOUBLE) AS BIGINT))::HUGEINT * 33554432 * 33554432
        + sum(CAST((number * 9.007199254740992e+15::DOUBLE - trunc(number * 9.007199254740992e+15::DOUBLE)) * 1.125899906842624e+15::DOUBLE AS BIGINT))::HUGEINT)
        / 1.125899906842624e+15::DOUBLE / 9.007199254740992e+15::DOUBLE / count(number) AS number, NULL::VARCHAR AS text FROM scores WHERE path_key = 1
    AND evaluation_key IN (1, 2) GROUP BY row_key) AS k JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)),
      ends AS MATERIALIZED (SELECT min(number) AS least, max(number) AS most FROM (SELECT number FROM keyed
        WHERE number IS NOT NULL ORDER BY number DESC LIMIT $2) HAVING count(*) = $3),
      few AS MATERIALIZED (SELECT count(*) = 0 AS few FROM ends),
      near AS (SELECT keyed.* FROM keyed JOIN ends ON keyed.number >= least AND keyed.number <= most
        UNION ALL SELECT row_key, k.number FROM (SELECT row_key FROM selected, few WHERE few) AS s
          LEFT JOIN (SELECT keyed.* FROM keyed, few WHERE few) AS k USING (row_key))
      SELECT row_key, any_value(number) AS number FROM near GROUP BY row_key) AS s JOIN rows AS d ON d.row_key = s.row_key
    ORDER BY s.number DESC NULLS LAST, d.digest LIMIT $4)) SELECT place, text FROM (SELECT page.place AS place, t.output AS text
    FROM trials AS t JOIN page ON page.row_key = t.row_key
    WHERE t.evaluation_key IN (1, 2) AND t.text_bytes IS NOT NULL UNION ALL SELECT page.place AS place, nullif(CASE WHEN f.prefix IS NULL THEN coalesce(f.example, f.inline_example) ELSE CAST(to_json(f.prefix || f.digest) AS VARCHAR) END, 'null') AS text
    FROM page JOIN (SELECT d.row_key, d.digest, t.first.prefix, t.first.example, d.val, d.inline_example
    FROM (SELECT t.row_key, first(struct_pack(prefix := t.reference_prefix, example := t.example) ORDER BY (CASE t.evaluation_key WHEN 1 THEN 0 WHEN 2 THEN 1 END), t.started_at, t.id) AS first
      FROM trials AS t SEMI JOIN page ON page.row_key = t.row_key
      WHERE t.evaluation_key IN (1, 2) GROUP BY t.row_key) AS t
    JOIN rows AS d ON d.row_key = t.row_key) AS f ON f.row_key = page.row_key WHERE starts_with(nullif(CASE WHEN f.prefix IS NULL THEN coalesce(f.example, f.inline_example) ELSE CAST(to_json(f.prefix || f.digest) AS VARCHAR) END, 'null'), (SELECT '"' || mark FROM text_mark)));
-- $1 DOUBLE 0.9
-- $2 BIGINT 10
-- $3 BIGINT 10
-- $4 BIGINT 10
