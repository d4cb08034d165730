SELECT evaluation_key FROM trials WHERE evaluation_key IN (1, 2) AND content_key IS NOT NULL GROUP BY evaluation_key;
