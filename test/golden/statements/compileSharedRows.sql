SELECT r.digest FROM (SELECT DISTINCT row_key FROM trials WHERE row_key IN (SELECT unnest('[1, 2]'::INTEGER[])) AND evaluation_key IN (
      SELECT evaluation_key FROM evaluations WHERE NOT hidden AND id <> $1)) AS t
    JOIN rows AS r ON r.row_key = t.row_key;
-- $1 VARCHAR "table:one"
