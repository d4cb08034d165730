SELECT coalesce(bool_or(CASE WHEN (contains(r.document, $1) OR contains(r.document, $2)) THEN coalesce(json_type(json_extract(r.document, $3)) <> 'NULL', false) ELSE false END), false) FROM (SELECT coalesce(val, inline_example) AS document FROM rows
    WHERE row_key IN (SELECT unnest('[1, 2]'::INTEGER[]))) AS r;
-- $1 VARCHAR "q"
-- $2 VARCHAR "\\u"
-- $3 VARCHAR "/q"
