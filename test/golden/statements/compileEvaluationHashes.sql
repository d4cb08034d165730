SELECT e.evaluation_key, md5_number_lower(concat(1, ':', e.id)) FROM evaluations AS e WHERE e.project_key = 1
    AND e.evaluation_key IN (SELECT evaluation_key FROM trials);
