SELECT t.trial_key, t.id, r.digest, t.started_at, e.trial_key IS NOT NULL FROM (
    SELECT trial_key, id, row_key, started_at FROM trials
    WHERE evaluation_key = 1 AND trial_key > 10
    ORDER BY trial_key LIMIT 100) AS t
    JOIN rows AS r ON r.row_key = t.row_key
    LEFT JOIN errored_trials AS e ON e.evaluation_key = 1 AND e.trial_key = t.trial_key
    ORDER BY t.trial_key;
