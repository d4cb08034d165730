SELECT path_key, count(*), count(DISTINCT number)
    FROM (SELECT v.path_key, v.number FROM scores AS v WHERE v.kind = 0
      AND v.path_key = 1 AND v.evaluation_key IN (1, 2) LIMIT 100)
    GROUP BY path_key;
