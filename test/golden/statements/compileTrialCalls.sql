SELECT trial_key, id, predict_call_id, scorer_call_ids FROM trials WHERE evaluation_key = 1 AND trial_key > 10
    ORDER BY trial_key LIMIT 100;
