SELECT kind, (number IS NOT NULL), coalesce(text IN ('true', 'false'), false) FROM scores WHERE path_key = 1
    AND evaluation_key IN (1, 2) LIMIT 1;
