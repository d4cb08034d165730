WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)) SELECT evaluation_key, n, id FROM (SELECT evaluation_key, id, count(*) OVER (PARTITION BY evaluation_key) AS n, row_number() OVER (PARTITION BY evaluation_key ORDER BY started, id) AS place
      FROM (SELECT t.evaluation_key, min(t.started_at) AS started,
      first(t.id ORDER BY t.started_at, t.id) AS id
    FROM trials AS t JOIN (SELECT c.evaluation_key AS evaluation_key, c.row_key AS row_key FROM (SELECT evaluation_key, row_key, min(content_key) AS least, max(content_key) AS most FROM trials JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE evaluation_key = 2 AND content_key IS NOT NULL GROUP BY evaluation_key, row_key) AS c
    JOIN (SELECT evaluation_key, row_key, min(content_key) AS least, max(content_key) AS most FROM trials JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE evaluation_key = 1 AND content_key IS NOT NULL GROUP BY evaluation_key, row_key) AS b ON b.row_key = c.row_key WHERE least(b.least, c.least) <> greatest(b.most, c.most)) AS e ON e.evaluation_key = t.evaluation_key AND e.row_key = t.row_key
    GROUP BY t.evaluation_key, t.row_key)) WHERE place <= 5 ORDER BY evaluation_key, place;
-- $1 DOUBLE 0.9
