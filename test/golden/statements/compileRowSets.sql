WITH sets AS MATERIALIZED (SELECT t.evaluation_key AS evaluation_key, count(DISTINCT t.row_key) AS n,
      sum(DISTINCT hash(coalesce(t.content_key, t.row_key))) AS print
    FROM trials AS t JOIN evaluations AS e ON e.evaluation_key = t.evaluation_key
    WHERE e.evaluation_key IN (1, 2) GROUP BY t.evaluation_key) SELECT e.id, s.n, h.digest FROM sets AS s JOIN evaluations AS e ON e.evaluation_key = s.evaluation_key
    JOIN (SELECT print, sha256(string_agg(digest::VARCHAR, '
' ORDER BY digest) || '
') AS digest
      FROM (SELECT f.print AS print, r.digest AS digest
    FROM (SELECT print, min(evaluation_key) AS one FROM sets GROUP BY print) AS f
    JOIN trials AS t ON t.evaluation_key = f.one JOIN rows AS r ON r.row_key = coalesce(t.content_key, t.row_key)
    GROUP BY f.print, r.digest) GROUP BY print) AS h ON h.print = s.print;
