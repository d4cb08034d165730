WITH selected AS MATERIALIZED (SELECT row_key FROM (SELECT row_key FROM trials WHERE evaluation_key IN (1, 2)
    GROUP BY row_key HAVING bit_count(bit_or(1::BIGINT << (evaluation_key - 1))) = 2) SEMI JOIN ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)) AS kept USING (row_key)), failed AS MATERIALIZED (SELECT evaluation_key, row_key, trial_key FROM errored_trials
    WHERE evaluation_key IN (1, 2)), failed_scorers(mark, scorer) AS (VALUES ($2, $3)), texts AS MATERIALIZED (SELECT f.evaluation_key AS evaluation_key, f.scorer AS scorer, f.stated AS stated,
      count(*)::BIGINT AS times, min(t.started_at) AS began, first(t.id ORDER BY t.started_at, t.id) AS trial, first(f.row_key ORDER BY t.started_at, t.id) AS row_key
    FROM (SELECT evaluation_key, row_key, trial_key, '' AS scorer, stated
    FROM (SELECT f.evaluation_key AS evaluation_key, f.row_key AS row_key, f.trial_key AS trial_key, x.error AS stated
    FROM failed AS f LEFT JOIN (SELECT trial_key, first(exception ORDER BY place) AS error
    FROM (SELECT call_key AS trial_key, exception, 0 AS place FROM calls
      WHERE call_key IN (SELECT trial_key FROM failed) AND exception <> '' UNION ALL SELECT t.trial_key, p.exception, 1 AS place FROM (SELECT trial_key, predict_call_id FROM trials WHERE trial_key IN (SELECT trial_key FROM failed)) AS t
      JOIN calls AS p ON p.id_hash = md5_number_lower(concat(1, ':', t.predict_call_id))
        AND p.id = t.predict_call_id AND p.project_key = 1 AND NOT p.hidden
      WHERE p.exception <> '')
    GROUP BY trial_key) AS x ON x.trial_key = f.trial_key) JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) UNION ALL SELECT t.evaluation_key AS evaluation_key, t.row_key AS row_key, t.trial_key AS trial_key,
        m.scorer AS scorer, c.exception AS stated
      FROM trials AS t JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) JOIN (SELECT exception, id, json_text(TRY(json_extract(record, $4))::VARCHAR) AS parent,
      concat('[', coalesce(TRY(json_extract(record, $5))::VARCHAR, 'null'), ',', coalesce(TRY(json_extract(record, $6))::VARCHAR, 'null'), ']') AS mark
    FROM calls WHERE project_key = 1 AND NOT hidden AND exception <> '') AS c ON c.parent = t.id
        JOIN failed_scorers AS m ON m.mark = c.mark
      WHERE t.evaluation_key IN (1, 2)) AS f JOIN trials AS t ON t.trial_key = f.trial_key
    GROUP BY f.evaluation_key, f.scorer, f.stated) SELECT g.evaluation_key, nullIf(g.scorer, ''), g.grouped, g.n, sum(g.n) OVER (PARTITION BY g.evaluation_key), g.example, d.digest FROM (SELECT evaluation_key, scorer, grouped, sum(times) AS n, first(stated ORDER BY began, trial) AS example,
        first(row_key ORDER BY began, trial) AS first_row
      FROM (SELECT *, coalesce(coalesce(nullIf(left(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(stated, $7, $8, 'g'), $9, $10, 'g'), $11, $12, 'g'), $13, $14, 'g'), $15, $16, 'g'), $17, $18, 'g'), $19, $20, 'g'), 200), ''),
    CASE WHEN stated IS NOT NULL THEN $21 END), $22) AS grouped FROM texts) GROUP BY evaluation_key, scorer, grouped) AS g
    JOIN rows AS d ON d.row_key = g.first_row
    QUALIFY row_number() OVER (PARTITION BY g.evaluation_key ORDER BY g.n DESC, g.scorer, g.grouped) <= 20
    ORDER BY g.evaluation_key, g.n DESC, g.scorer, g.grouped;
-- $1 DOUBLE 0.9
-- $2 VARCHAR "[\"s\",true]"
-- $3 VARCHAR "s"
-- $4 VARCHAR "/parent_id"
-- $5 VARCHAR "/op_name"
-- $6 VARCHAR "/attributes/a/score"
-- $7 VARCHAR "^[ \\t\\r\\n\\f\\v]+|[\\r\\n][\\s\\S]*$"
-- $8 VARCHAR ""
-- $9 VARCHAR "[ \\t\\f\\v]+"
-- $10 VARCHAR " "
-- $11 VARCHAR "\\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\\b|\\b(?:0[xX][0-9a-fA-F]+|[0-9a-fA-F]{8,})\\b"
-- $12 VARCHAR "#"
-- $13 VARCHAR "\\b\\d+(?:[.,]\\d+)*(?:[eE][+-]?\\d+)?( (?:ms|s|sec|seconds?|minutes?|tokens|bytes|characters)\\b)"
-- $14 VARCHAR "#\\1"
-- $15 VARCHAR "\\d+(?:[.,]\\d+)+(?:[eE][+-]?\\d+)?|\\d+[eE][+-]?\\d+|\\b([45]\\d\\d)\\b|\\d+"
-- $16 VARCHAR "\\1#"
-- $17 VARCHAR "(\\d\\d\\d)#"
-- $18 VARCHAR "\\1"
-- $19 VARCHAR " $"
-- $20 VARCHAR ""
-- $21 VARCHAR "no message"
-- $22 VARCHAR "no output"
