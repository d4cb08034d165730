SELECT t.trial_key, e.id, r.digest, t.id, md5_number_lower(concat(1, ':', t.id)), md5_number_lower(concat(1, ':', t.predict_call_id)), t.scorer_call_ids FROM trials AS t JOIN evaluations AS e ON e.evaluation_key = t.evaluation_key
    JOIN rows AS r ON r.row_key = t.row_key WHERE t.evaluation_key IN (1, 2) AND t.id IN ($1);
-- $1 VARCHAR "t"
