WITH selected AS MATERIALIZED (SELECT row_key FROM (SELECT DISTINCT row_key FROM trials WHERE evaluation_key IN (1, 2)) SEMI JOIN ((SELECT DISTINCT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number > $1)))) AS kept USING (row_key)),
    page AS (SELECT row_key, digest, row_number() OVER () AS place FROM (SELECT s.row_key, d.digest FROM selected AS s
      JOIN rows AS d ON d.row_key = s.row_key
      ORDER BY d.digest))
    SELECT page.row_key, page.digest, total.n FROM (SELECT count(*) AS n FROM selected) AS total
    LEFT JOIN page ON true ORDER BY page.place;
-- $1 DOUBLE 0.5
