SELECT e.id, e.display_name, e.model_ref, e.started_at, e.code_commit, e.code_branch, e.import_file, e.ended_at IS NOT NULL, e.exception FROM evaluations AS e JOIN projects AS p USING (project_key)
    WHERE p.project_id = $1 AND NOT e.hidden ORDER BY e.started_at NULLS LAST, e.id;
-- $1 VARCHAR "acme/qa"
