SELECT row_key, trial_key, evaluation_key, content_key, started_at, id, output, latency_seconds, total_tokens, span_refs, predict_call_id, scorer_call_ids, late_scores, reference_prefix, example
    FROM trials WHERE row_key IN (SELECT unnest('[1, 2]'::INTEGER[])) AND evaluation_key IN (1, 2);
