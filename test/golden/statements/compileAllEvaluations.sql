SELECT p.project_id, e.id, e.display_name, e.started_at, coalesce(t.n, 0)
    FROM evaluations AS e JOIN projects AS p USING (project_key)
    LEFT JOIN (SELECT evaluation_key, count(*) AS n FROM trials GROUP BY evaluation_key) AS t USING (evaluation_key)
    WHERE NOT e.hidden AND (e.has_root OR t.n > 0) ORDER BY e.started_at NULLS LAST, p.project_id, e.id;
