WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)) SELECT v.evaluation_key, v.path_key, count(v.number), coalesce(sum(v.number), 0), coalesce(sum(v.number * v.number), 0)
    FROM (SELECT path_key, evaluation_key, row_key, trial_key, kind, late, number, text FROM scores AS v UNION ALL SELECT path_key, evaluation_key, row_key, trial_key, 0::UTINYINT AS kind, false AS late,
      number, NULL::VARCHAR AS text
    FROM (SELECT path_key, evaluation_key, row_key, trial_key, number
    FROM (SELECT d.path_key, e.evaluation_key, e.row_key, e.trial_key, d.number
      FROM (SELECT evaluation_key, row_key, trial_key FROM errored_trials
    WHERE evaluation_key IN (1, 2)) AS e CROSS JOIN (VALUES (1, $2)) AS d(path_key, number)) AS c
    ANTI JOIN (SELECT v.path_key, v.trial_key FROM scores AS v
    SEMI JOIN (SELECT evaluation_key, row_key, trial_key FROM errored_trials
    WHERE evaluation_key IN (1, 2)) AS e USING (trial_key)
    WHERE v.evaluation_key IN (1, 2) AND v.path_key = 1) AS v USING (path_key, trial_key)) AS c) AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE v.evaluation_key IN (1, 2) AND v.kind = 0 GROUP BY v.evaluation_key, v.path_key;
-- $1 DOUBLE 0.9
-- $2 DOUBLE 0.5
