SELECT t.trial_key, c.call_key FROM trials AS t
    JOIN calls AS c ON c.id_hash = md5_number_lower(concat(1, ':', t.predict_call_id))
    WHERE t.trial_key IN (SELECT unnest('[1, 2]'::INTEGER[])) AND NOT c.hidden AND c.started_at IS NOT NULL
    ORDER BY c.started_at, c.id;
