SELECT evaluation_key FROM scores WHERE evaluation_key IN (1, 2) GROUP BY evaluation_key;
