WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)), pairs AS MATERIALIZED (SELECT coalesce(a.row_key, b.row_key) AS row_key,
    coalesce(a.evaluation_key, b.evaluation_key) AS evaluation_key, a.value AS a, b.value AS b
    FROM (SELECT trial_key, row_key, evaluation_key, number AS value FROM (SELECT trial_key, row_key, evaluation_key, kind, number, text
    FROM scores JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE path_key = 1
    AND evaluation_key IN (1, 2))
        WHERE kind < 2 AND number IS NOT NULL) AS a FULL JOIN (SELECT trial_key, row_key, evaluation_key, number AS value FROM (SELECT trial_key, row_key, evaluation_key, kind, number, text
    FROM scores JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE path_key = 2
    AND evaluation_key IN (1, 2))
        WHERE kind < 2 AND number IS NOT NULL) AS b ON b.trial_key = a.trial_key), cells AS MATERIALIZED (SELECT a, b, row_number() OVER (ORDER BY a, b) - 1 AS cell
    FROM pairs WHERE a IS NOT NULL AND b IS NOT NULL GROUP BY a, b) SELECT cells, count(*) FROM (
      SELECT row_key, string_agg(cell::VARCHAR, ',' ORDER BY cell) AS cells
      FROM pairs JOIN cells ON cells.a = pairs.a AND cells.b = pairs.b GROUP BY row_key)
    GROUP BY cells ORDER BY cells LIMIT 10;
-- $1 DOUBLE 0.9
