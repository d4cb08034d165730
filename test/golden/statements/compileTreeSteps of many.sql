SELECT CAST(s.call_key AS BIGINT) AS step_key, s.action AS "action" FROM call_steps AS s
    WHERE s.call_key BETWEEN 1 AND 1099511627776;
