SELECT call_key, coalesce(json_type(CASE WHEN json_valid(record) THEN json_extract(record, $1) END) <> 'NULL', false), TRY_CAST(json_number(CASE WHEN json_valid(record) THEN json_extract(record, $2) END) AS BIGINT) FROM calls WHERE rowid IN (SELECT rowid FROM calls WHERE call_key IN (SELECT unnest('[1, 2]'::INTEGER[])));
-- $1 VARCHAR "/ended_at"
-- $2 VARCHAR "/attributes/trial_index"
