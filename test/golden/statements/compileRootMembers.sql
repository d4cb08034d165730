SELECT e.id, TRY(json_extract(c.record, $1))::VARCHAR, TRY(json_extract(c.record, $2))::VARCHAR
    FROM projects AS p JOIN evaluations AS e USING (project_key)
    JOIN calls AS c ON c.id_hash = md5_number_lower(concat(p.project_key, ':', e.id))
      AND c.id = e.id AND c.project_key = p.project_key AND NOT c.hidden
    WHERE p.project_id = $3 AND e.has_root AND NOT e.hidden;
-- $1 VARCHAR "/attributes/branch"
-- $2 VARCHAR "/display_name"
-- $3 VARCHAR "acme/qa"
