SELECT path_key, path, leaf, container, list, max_exponent, min_exponent, low_bit
    FROM score_paths WHERE project_key = $1 ORDER BY path_key;
-- $1 INTEGER 1
