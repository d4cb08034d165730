SELECT path_key FROM null_scores WHERE evaluation_key IN (1, 2) GROUP BY path_key;
