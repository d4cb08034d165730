WITH failed AS MATERIALIZED (SELECT x.evaluation_key AS evaluation_key, x.row_key AS row_key, x.trial_key AS trial_key
    FROM errored_trials AS x JOIN evaluations AS e ON e.evaluation_key = x.evaluation_key
    WHERE e.project_key = 1 AND NOT e.hidden) SELECT e.id, g.total, g.top FROM (SELECT evaluation_key, sum(n) AS total, first(grouped ORDER BY -n, grouped) AS top
      FROM (SELECT evaluation_key, grouped, sum(times) AS n
    FROM (SELECT evaluation_key, times, coalesce(coalesce(nullIf(left(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(stated, $1, $2, 'g'), $3, $4, 'g'), $5, $6, 'g'), $7, $8, 'g'), $9, $10, 'g'), $11, $12, 'g'), $13, $14, 'g'), 200), ''),
    CASE WHEN stated IS NOT NULL THEN $15 END), $16) AS grouped FROM (SELECT evaluation_key, stated, count(*)::BIGINT AS times
    FROM (SELECT f.evaluation_key AS evaluation_key, f.row_key AS row_key, f.trial_key AS trial_key, x.error AS stated
    FROM failed AS f LEFT JOIN (SELECT trial_key, first(exception ORDER BY place) AS error
    FROM (SELECT call_key AS trial_key, exception, 0 AS place FROM calls
      WHERE call_key IN (SELECT trial_key FROM failed) AND exception <> '' UNION ALL SELECT t.trial_key, p.exception, 1 AS place FROM (SELECT trial_key, predict_call_id FROM trials WHERE trial_key IN (SELECT trial_key FROM failed)) AS t
      JOIN calls AS p ON p.id_hash = md5_number_lower(concat(1, ':', t.predict_call_id))
        AND p.id = t.predict_call_id AND p.project_key = 1 AND NOT p.hidden
      WHERE p.exception <> '')
    GROUP BY trial_key) AS x ON x.trial_key = f.trial_key) GROUP BY evaluation_key, stated)) GROUP BY evaluation_key, grouped) GROUP BY evaluation_key) AS g JOIN evaluations AS e ON e.evaluation_key = g.evaluation_key;
-- $1 VARCHAR "^[ \\t\\r\\n\\f\\v]+|[\\r\\n][\\s\\S]*$"
-- $2 VARCHAR ""
-- $3 VARCHAR "[ \\t\\f\\v]+"
-- $4 VARCHAR " "
-- $5 VARCHAR "\\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\\b|\\b(?:0[xX][0-9a-fA-F]+|[0-9a-fA-F]{8,})\\b"
-- $6 VARCHAR "#"
-- $7 VARCHAR "\\b\\d+(?:[.,]\\d+)*(?:[eE][+-]?\\d+)?( (?:ms|s|sec|seconds?|minutes?|tokens|bytes|characters)\\b)"
-- $8 VARCHAR "#\\1"
-- $9 VARCHAR "\\d+(?:[.,]\\d+)+(?:[eE][+-]?\\d+)?|\\d+[eE][+-]?\\d+|\\b([45]\\d\\d)\\b|\\d+"
-- $10 VARCHAR "\\1#"
-- $11 VARCHAR "(\\d\\d\\d)#"
-- $12 VARCHAR "\\1"
-- $13 VARCHAR " $"
-- $14 VARCHAR ""
-- $15 VARCHAR "no message"
-- $16 VARCHAR "no output"
