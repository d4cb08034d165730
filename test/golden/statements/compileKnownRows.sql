SELECT digest FROM rows WHERE project_key = 1 AND digest IN ($1, $2)
    AND coalesce(val, inline_example) IS NOT NULL;
-- $1 VARCHAR "a"
-- $2 VARCHAR "b"
