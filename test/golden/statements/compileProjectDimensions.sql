SELECT s.path_key, bool_or(s.kind = 0), bool_or(s.kind = 1) FROM scores AS s JOIN evaluations AS e ON e.evaluation_key = s.evaluation_key
    WHERE e.project_key = $1 AND NOT e.hidden GROUP BY s.path_key;
-- $1 INTEGER 1
