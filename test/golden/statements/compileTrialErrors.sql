SELECT trial_key, error FROM (SELECT trial_key, first(exception ORDER BY place) AS error
    FROM (SELECT call_key AS trial_key, exception, 0 AS place FROM calls
      WHERE call_key IN (SELECT unnest('[1, 2]'::INTEGER[])) AND exception <> '' UNION ALL SELECT t.trial_key, p.exception, 1 AS place FROM (SELECT trial_key, predict_call_id FROM trials WHERE trial_key IN (SELECT unnest('[1, 2]'::INTEGER[]))) AS t
      JOIN calls AS p ON p.id_hash = md5_number_lower(concat(1, ':', t.predict_call_id))
        AND p.id = t.predict_call_id AND p.project_key = 1 AND NOT p.hidden
      WHERE p.exception <> '')
    GROUP BY trial_key);
