SELECT t.trial_key, t.id, e.id, t.predict_call_id, t.output, t.late_scores FROM trials AS t JOIN evaluations AS e ON e.evaluation_key = t.evaluation_key
    WHERE t.trial_key IN (SELECT unnest('[1, 2]'::INTEGER[]));
