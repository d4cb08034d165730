WITH selected AS MATERIALIZED (SELECT DISTINCT row_key FROM trials WHERE evaluation_key = 1),
    page AS (SELECT s.row_key, row_number() OVER () AS place FROM (SELECT s.row_key FROM selected AS s
      JOIN rows AS d ON d.row_key = s.row_key
      ORDER BY d.digest) AS s)
    SELECT page.row_key, total.n FROM (SELECT count(*) AS n FROM selected) AS total LEFT JOIN page ON true ORDER BY page.place;
