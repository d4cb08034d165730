WITH selected AS MATERIALIZED (SELECT row_key FROM trials WHERE evaluation_key IN (1, 2)
    GROUP BY row_key HAVING bit_count(bit_or(1::BIGINT << (evaluation_key - 1))) = 2)
    SELECT s.row_key, digest, (SELECT count(*) FROM selected) FROM (FROM selected UNION ALL SELECT -1) AS s JOIN rows AS d ON d.row_key = s.row_key ORDER BY d.digest LIMIT $1 OFFSET $2;
-- $1 BIGINT 50
-- $2 BIGINT 100
