SELECT t.trial_key, t.id, e.id, t.predict_call_id, t.output, t.late_scores, coalesce(CASE WHEN t.reference_prefix IS NULL THEN coalesce(t.example, r.inline_example) END, r.val) FROM trials AS t JOIN evaluations AS e ON e.evaluation_key = t.evaluation_key
    JOIN rows AS r ON r.row_key = t.row_key WHERE t.trial_key IN (SELECT unnest('[1, 2]'::INTEGER[]));
