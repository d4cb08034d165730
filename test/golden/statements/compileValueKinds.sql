SELECT path_key, kind FROM scores WHERE path_key IN (1, 2)
    AND (kind = 2 OR number IS NOT NULL) GROUP BY path_key, kind;
