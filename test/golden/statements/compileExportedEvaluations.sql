SELECT evaluation_key, started_at, ended_at, exception IS NOT NULL, has_root AND coalesce(trace_id, '') <> id FROM evaluations WHERE evaluation_key IN (1, 2);
