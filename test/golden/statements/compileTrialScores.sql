SELECT e.id, t.output, t.late_scores FROM trials AS t JOIN evaluations AS e ON e.evaluation_key = t.evaluation_key
    WHERE e.project_key = 1 AND t.id = $1;
-- $1 VARCHAR "t"
