SELECT CAST(TRY(json_extract(c.record, $1)) AS VARCHAR) FROM trials AS t JOIN calls AS c ON c.call_key = t.trial_key
    WHERE t.evaluation_key IN (1, 2) AND TRY(json_extract(c.record, $2)) IS NOT NULL ORDER BY t.started_at, t.trial_key LIMIT 8;
-- $1 VARCHAR "/attributes"
-- $2 VARCHAR "/attributes"
