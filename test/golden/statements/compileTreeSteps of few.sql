SELECT CAST(s.call_key AS BIGINT) AS step_key, s.operation + s.by_usage::UTINYINT * 4 + s.is_score::UTINYINT * 8
      + s.error_unknown::UTINYINT * 16 + (s.error_type IS NOT NULL)::UTINYINT * 32 + s.untimed * 64::UTINYINT AS "state", s.name AS "name" FROM call_steps AS s
    WHERE s.call_key IN (SELECT unnest('[1, 2]'::INTEGER[]));
