WITH selected AS MATERIALIZED (SELECT row_key FROM (SELECT DISTINCT row_key FROM trials WHERE evaluation_key IN (1, 2)) SEMI JOIN ((SELECT DISTINCT t.row_key FROM trials AS t WHERE t.evaluation_key IN (1, 2) AND ((json_text(coalesce(CASE WHEN json_type(t.output, '/scores') = 'OBJECT'
    THEN json_extract(t.output, $1) END, json_extract(t.late_scores, $2))) = $3)))) AS kept USING (row_key)),
    page AS (SELECT row_key, digest, row_number() OVER () AS place FROM (SELECT s.row_key, d.digest FROM selected AS s
      JOIN rows AS d ON d.row_key = s.row_key
      ORDER BY d.digest))
    SELECT page.row_key, page.digest, total.n FROM (SELECT count(*) AS n FROM selected) AS total
    LEFT JOIN page ON true ORDER BY page.place;
-- $1 VARCHAR "/scores/list/0"
-- $2 VARCHAR "/list/0"
-- $3 VARCHAR "x"
