SELECT id FROM evaluations WHERE project_key = $1 AND NOT hidden AND has_root
    AND evaluation_ref = $2 AND model_ref = $3;
-- $1 INTEGER 1
-- $2 VARCHAR "table:quiz"
-- $3 VARCHAR "m"
