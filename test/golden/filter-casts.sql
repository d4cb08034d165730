WITH selected AS MATERIALIZED (SELECT row_key FROM (SELECT DISTINCT row_key FROM trials WHERE evaluation_key IN (1, 2)) SEMI JOIN ((SELECT DISTINCT t.row_key FROM trials AS t LEFT JOIN (SELECT trial_key, kind, number, text FROM scores
    WHERE path_key = 3 AND evaluation_key = 1) AS "s0"
    ON "s0".trial_key = t.trial_key LEFT JOIN (SELECT trial_key, kind, number, text FROM scores
    WHERE path_key = 1 AND evaluation_key = 1) AS "s1"
    ON "s1".trial_key = t.trial_key WHERE t.evaluation_key = 1 AND (((((CASE WHEN "s0".number = trunc("s0".number) THEN "s0".number END) = $1)) OR ((("s1".kind IS NOT NULL) = $2)))))) AS kept USING (row_key)),
    page AS (SELECT row_key, digest, row_number() OVER () AS place FROM (SELECT s.row_key, d.digest FROM selected AS s
      JOIN rows AS d ON d.row_key = s.row_key
      ORDER BY d.digest))
    SELECT page.row_key, page.digest, total.n FROM (SELECT count(*) AS n FROM selected) AS total
    LEFT JOIN page ON true ORDER BY page.place;
-- $1 DOUBLE 3
-- $2 BOOLEAN false
