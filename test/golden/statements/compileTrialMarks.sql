SELECT call_key, CASE WHEN json_valid(record) THEN json_extract_string(record, $1) END IS NOT NULL, TRY_CAST(CASE WHEN json_valid(record) THEN json_extract_string(record, $2) END AS UINTEGER) FROM calls WHERE call_key IN (SELECT unnest('[1, 2]'::INTEGER[]));
-- $1 VARCHAR "$.ended_at"
-- $2 VARCHAR "$.attributes.trial_index"
