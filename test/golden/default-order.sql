WITH selected AS MATERIALIZED (SELECT row_key FROM trials WHERE evaluation_key = 1 GROUP BY row_key)
    SELECT s.row_key, digest, (SELECT count(*) FROM selected) FROM (FROM selected UNION ALL SELECT -1) AS s JOIN rows AS d ON d.row_key = s.row_key ORDER BY d.digest;
