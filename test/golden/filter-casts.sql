WITH selected AS MATERIALIZED ((SELECT t.row_key FROM trials AS t LEFT JOIN (SELECT trial_key, kind, number, text FROM scores
    WHERE path_key = 3 AND evaluation_key = 1) AS "s0"
    ON "s0".trial_key = t.trial_key LEFT JOIN (SELECT trial_key, kind, number, text FROM scores
    WHERE path_key = 1 AND evaluation_key = 1) AS "s1"
    ON "s1".trial_key = t.trial_key WHERE t.evaluation_key = 1 AND (((((CASE WHEN "s0".number = trunc("s0".number) THEN "s0".number END) = $1)) OR ((("s1".kind IS NOT NULL) = $2)))) GROUP BY t.row_key))
    SELECT s.row_key, digest, (SELECT count(*) FROM selected) FROM (FROM selected UNION ALL SELECT -1) AS s JOIN rows AS d ON d.row_key = s.row_key ORDER BY d.digest;
-- $1 DOUBLE 3
-- $2 BOOLEAN false
