SELECT coalesce(bool_or(coalesce(json_type(json_extract(r.document, $1)) <> 'NULL', false)), false) FROM (SELECT coalesce(val, inline_example) AS document FROM rows
    WHERE row_key IN (SELECT unnest([1, 2]::INTEGER[]))) AS r;
-- $1 VARCHAR "/q"
