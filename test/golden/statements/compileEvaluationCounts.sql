SELECT p.project_id, count(e.evaluation_key)
    FROM projects AS p LEFT JOIN (
      SELECT project_key, evaluation_key FROM evaluations
      WHERE NOT hidden AND (has_root OR evaluation_key IN (SELECT evaluation_key FROM trials))
    ) AS e USING (project_key)
    GROUP BY p.project_id ORDER BY p.project_id;
