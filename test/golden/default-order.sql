WITH selected AS MATERIALIZED (SELECT DISTINCT row_key FROM trials WHERE evaluation_key = 1),
    page AS (SELECT row_key, digest, row_number() OVER () AS place FROM (SELECT s.row_key, d.digest FROM selected AS s
      JOIN rows AS d ON d.row_key = s.row_key
      ORDER BY d.digest))
    SELECT page.row_key, page.digest, total.n FROM (SELECT count(*) AS n FROM selected) AS total
    LEFT JOIN page ON true ORDER BY page.place;
