SELECT e.id, e.display_name, e.model_ref, e.started_at, e.code_commit, e.code_branch, e.import_file, e.ended_at IS NOT NULL, e.exception, coalesce(TRY(json_extract(e.attributes, $1))::VARCHAR NOT IN ('null', 'false'), false) FROM evaluations AS e JOIN projects AS p USING (project_key)
    WHERE p.project_id = $2 AND NOT e.hidden ORDER BY e.started_at NULLS LAST, e.id;
-- $1 VARCHAR "/partial"
-- $2 VARCHAR "acme/qa"
