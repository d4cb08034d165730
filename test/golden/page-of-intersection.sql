WITH selected AS MATERIALIZED (SELECT row_key FROM trials WHERE evaluation_key IN (1, 2)
    GROUP BY row_key HAVING bit_count(bit_or(1::BIGINT << (CASE evaluation_key WHEN 1 THEN 0 WHEN 2 THEN 1 END)::BIGINT)) = 2),
    page AS (SELECT row_key, digest, row_number() OVER () AS place FROM (SELECT s.row_key, d.digest FROM selected AS s
      JOIN rows AS d ON d.row_key = s.row_key
      ORDER BY d.digest LIMIT $1 OFFSET $2))
    SELECT page.row_key, page.digest, total.n FROM (SELECT count(*) AS n FROM selected) AS total
    LEFT JOIN page ON true ORDER BY page.place;
-- $1 BIGINT 50
-- $2 BIGINT 100
