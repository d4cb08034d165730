SELECT evaluation_key, scorer_call_ids FROM trials WHERE trial_key IN (SELECT min(trial_key) FROM trials
    WHERE scorer_call_ids IS NOT NULL AND evaluation_key IN (1, 2) GROUP BY evaluation_key);
