SELECT evaluation_key FROM trials WHERE evaluation_key IN (1, 2) GROUP BY evaluation_key;
