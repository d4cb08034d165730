WITH selected AS MATERIALIZED (SELECT row_key FROM trials WHERE evaluation_key IN (1, 2) GROUP BY row_key HAVING count(*) > 0)
    SELECT s.row_key, d.digest, (SELECT count(*) FROM selected) FROM selected AS s
    JOIN rows AS d ON d.row_key = s.row_key LEFT JOIN (SELECT row_key, CASE WHEN count(number) >= 2 THEN max(number) - min(number) END AS number,
      NULL::VARCHAR AS text FROM scores WHERE path_key = 1
    AND evaluation_key IN (1, 2) GROUP BY row_key) AS "k0" ON "k0".row_key = s.row_key
    ORDER BY "k0".number DESC NULLS LAST, d.digest;
