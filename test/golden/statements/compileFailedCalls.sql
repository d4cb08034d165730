SELECT c.id FROM (SELECT id, json_text(TRY(json_extract(record, $1))::VARCHAR) AS parent FROM calls
    WHERE project_key = 1 AND NOT hidden AND exception <> ''
      AND json_text(TRY(json_extract(record, $2))::VARCHAR) IS NULL) AS c JOIN trials AS t ON t.id = c.parent
    WHERE t.evaluation_key = 3;
-- $1 VARCHAR "/parent_id"
-- $2 VARCHAR "/deleted_at"
