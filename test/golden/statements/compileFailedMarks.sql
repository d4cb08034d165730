SELECT c.mark FROM (SELECT exception, id, json_text(TRY(json_extract(record, $1))::VARCHAR) AS parent,
      concat('[', coalesce(TRY(json_extract(record, $2))::VARCHAR, 'null'), ',', coalesce(TRY(json_extract(record, $3))::VARCHAR, 'null'), ']') AS mark
    FROM calls WHERE project_key = 1 AND NOT hidden AND exception <> '') AS c JOIN trials AS t ON t.id = c.parent
    WHERE t.evaluation_key IN (1, 2) GROUP BY c.mark ORDER BY c.mark;
-- $1 VARCHAR "/parent_id"
-- $2 VARCHAR "/op_name"
-- $3 VARCHAR "/attributes/a/score"
