SELECT evaluation_key, has_root, id, evaluation_ref, model_ref, dataset_ref, display_name, trace_id, started_at, code_commit, attributes FROM evaluations WHERE project_key = $1 AND NOT hidden AND id IN ($2, $3);
-- $1 INTEGER 1
-- $2 VARCHAR "e"
-- $3 VARCHAR "f"
