SELECT version_key
    FROM trial_versions WHERE dead = 0 AND row_key IN (SELECT unnest('[1, 2]'::INTEGER[])) AND evaluation_key IN (1, 2);
