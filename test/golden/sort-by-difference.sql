WITH selected AS MATERIALIZED (SELECT row_key FROM trials WHERE evaluation_key IN (1, 2) GROUP BY row_key)
    SELECT s.row_key, digest, (SELECT count(*) FROM selected) FROM (SELECT row_key, k.number FROM selected LEFT JOIN (SELECT row_key, CASE WHEN count(number) >= 2 THEN max(number) - min(number) END AS number,
      NULL::VARCHAR AS text FROM scores WHERE path_key = 1
    AND evaluation_key IN (1, 2) GROUP BY row_key) AS k USING (row_key)) AS s JOIN rows AS d ON d.row_key = s.row_key
    ORDER BY s.number DESC NULLS LAST, d.digest;
