SELECT row_key, trial_key, evaluation_key, content_key, started_at, id, output, own_latency_seconds, own_total_tokens, own_span_refs, NULL, NULL, NULL, NULL, NULL
    FROM trials WHERE row_key = 1 AND evaluation_key IN (1, 2);
