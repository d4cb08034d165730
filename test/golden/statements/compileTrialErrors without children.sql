SELECT trial_key, error FROM (SELECT trial_key, first(exception ORDER BY place) AS error
    FROM (SELECT call_key AS trial_key, exception, 0 AS place FROM calls
      WHERE call_key = 1 AND exception <> '')
    GROUP BY trial_key);
