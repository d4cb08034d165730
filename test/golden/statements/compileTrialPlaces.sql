SELECT t.trial_key, t.started_at, t.id FROM trials AS t JOIN evaluations AS e ON e.evaluation_key = t.evaluation_key
    WHERE e.project_key = 7 AND NOT e.hidden AND e.id = $1 AND t.id = $2 AND coalesce(t.predict_call_id, t.id) = $3
    ORDER BY t.started_at, t.id LIMIT 10;
-- $1 VARCHAR "e"
-- $2 VARCHAR "t"
-- $3 VARCHAR "p"
