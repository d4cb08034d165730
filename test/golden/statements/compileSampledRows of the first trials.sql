SELECT row_key FROM (SELECT row_key, output, late_scores FROM trials
    WHERE evaluation_key IN (1, 2) ORDER BY started_at, id LIMIT 8) AS t;
