SELECT e.id, e.display_name, e.evaluation_ref, e.model_ref, e.dataset_ref, e.started_at, e.ended_at, e.exception, e.code_commit, e.code_branch, e.import_file, e.attributes, t.last, t.dataset, coalesce(t.n, 0), coalesce(TRY(json_extract(e.attributes, $1))::VARCHAR NOT IN ('null', 'false'), false)
    FROM evaluations AS e JOIN projects AS p USING (project_key)
    LEFT JOIN (
      SELECT evaluation_key, count(*) AS n, max(started_at) AS last, min(reference_prefix) AS dataset
      FROM trials GROUP BY evaluation_key
    ) AS t USING (evaluation_key)
    WHERE p.project_id = $2 AND NOT e.hidden AND (e.has_root OR t.n > 0)
    ORDER BY e.started_at NULLS LAST, e.id;
-- $1 VARCHAR "/partial"
-- $2 VARCHAR "acme/qa"
