SELECT row_key, trial_key, evaluation_key, content_key, started_at, id, output, latency_seconds, total_tokens, span_refs, predict_call_id, scorer_call_ids, late_scores, reference_prefix, example
    FROM trials WHERE version_key IN (3, 4);
