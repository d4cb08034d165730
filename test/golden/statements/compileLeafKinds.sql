SELECT kind, bool_or(number IS NOT NULL), bool_or(coalesce(text IN ('true', 'false'), false)) FROM scores WHERE path_key = 1
    AND evaluation_key IN (1, 2) GROUP BY kind;
