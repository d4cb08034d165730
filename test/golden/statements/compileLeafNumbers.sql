SELECT trial_key, path_key, number FROM (SELECT path_key, evaluation_key, row_key, trial_key, number FROM scores WHERE path_key IN (1, 2)
    AND evaluation_key IN (1, 2) AND kind < 2 AND number IS NOT NULL) LIMIT 10;
