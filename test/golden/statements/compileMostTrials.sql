SELECT 1, coalesce(max(n), 0) FROM (
      SELECT count(*) AS n FROM trials WHERE evaluation_key = 1 GROUP BY row_key) UNION ALL SELECT 2, coalesce(max(n), 0) FROM (
      SELECT count(*) AS n FROM trials WHERE evaluation_key = 2 GROUP BY row_key);
