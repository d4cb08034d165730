SELECT t.id, e.id FROM trials AS t JOIN evaluations AS e ON e.evaluation_key = t.evaluation_key
    WHERE e.project_key = 1 AND t.id IN ($1, $2);
-- $1 VARCHAR "t1"
-- $2 VARCHAR "t2"
