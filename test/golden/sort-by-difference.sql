WITH selected AS MATERIALIZED (SELECT DISTINCT row_key FROM trials WHERE evaluation_key IN (1, 2)),
    page AS (SELECT row_key, digest, row_number() OVER () AS place FROM (SELECT s.row_key, d.digest FROM selected AS s
      JOIN rows AS d ON d.row_key = s.row_key LEFT JOIN (SELECT row_key, CASE WHEN count(number) >= 2 THEN max(number) - min(number) END AS number,
      NULL::VARCHAR AS text FROM scores WHERE path_key = 1
    AND evaluation_key IN (1, 2) GROUP BY row_key) AS "k0" ON "k0".row_key = s.row_key
      ORDER BY "k0".number DESC NULLS LAST, d.digest))
    SELECT page.row_key, page.digest, total.n FROM (SELECT count(*) AS n FROM selected) AS total
    LEFT JOIN page ON true ORDER BY page.place;
