WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)) SELECT v.evaluation_key, v.path_key, v.kind, count(*), max(v.number) FROM (SELECT path_key, evaluation_key, row_key, trial_key, 0::UTINYINT AS kind, false AS late,
      number, NULL::VARCHAR AS text
    FROM (SELECT path_key, evaluation_key, row_key, trial_key, number
    FROM (SELECT d.path_key, e.evaluation_key, e.row_key, e.trial_key, d.number
      FROM (SELECT evaluation_key, row_key, trial_key FROM errored_trials
    WHERE evaluation_key IN (1, 2)) AS e CROSS JOIN (VALUES (1, $2), (-1, $3)) AS d(path_key, number)) AS c
    ANTI JOIN (SELECT v.path_key, v.trial_key FROM (SELECT path_key, evaluation_key, row_key, trial_key, kind, late, number, text FROM scores UNION ALL SELECT -1 AS path_key, evaluation_key, row_key, trial_key,
    0::UTINYINT AS kind, false AS late, "c0_0" AS number, NULL::VARCHAR AS text
    FROM (SELECT *, finite((($4 * "x1") + ($5 * "x2"))) AS "c0_0" FROM (SELECT "x1".evaluation_key AS evaluation_key, "x1".row_key AS row_key, "x1".trial_key AS trial_key, "x1".number AS "x1", "x2".number AS "x2"
    FROM (SELECT path_key, evaluation_key, row_key, trial_key, number FROM scores WHERE path_key = 1
    AND evaluation_key IN (1, 2) AND kind < 2 AND number IS NOT NULL) AS "x1" JOIN (SELECT path_key, evaluation_key, row_key, trial_key, number FROM scores WHERE path_key = 2
    AND evaluation_key IN (1, 2) AND kind < 2 AND number IS NOT NULL) AS "x2" ON "x2".trial_key = "x1".trial_key)) WHERE "c0_0" IS NOT NULL) AS v
    SEMI JOIN (SELECT evaluation_key, row_key, trial_key FROM errored_trials
    WHERE evaluation_key IN (1, 2)) AS e USING (trial_key)
    WHERE v.evaluation_key IN (1, 2) AND v.path_key IN (1, -1)) AS v USING (path_key, trial_key)) AS c) AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) GROUP BY v.evaluation_key, v.path_key, v.kind UNION ALL SELECT v.evaluation_key, v.path_key, v.kind, count(*), max(v.number) FROM (SELECT path_key, evaluation_key, row_key, trial_key, 1::UTINYINT AS kind, false AS late,
      number, NULL::VARCHAR AS text
    FROM (SELECT path_key, evaluation_key, row_key, trial_key, number
    FROM (SELECT d.path_key, e.evaluation_key, e.row_key, e.trial_key, d.number
      FROM (SELECT evaluation_key, row_key, trial_key FROM errored_trials
    WHERE evaluation_key = 1) AS e CROSS JOIN (VALUES (2, $6)) AS d(path_key, number)) AS c
    ANTI JOIN (SELECT v.path_key, v.trial_key FROM scores AS v
    SEMI JOIN (SELECT evaluation_key, row_key, trial_key FROM errored_trials
    WHERE evaluation_key = 1) AS e USING (trial_key)
    WHERE v.evaluation_key = 1 AND v.path_key = 2) AS v USING (path_key, trial_key)) AS c) AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) GROUP BY v.evaluation_key, v.path_key, v.kind;
-- $1 DOUBLE 0.9
-- $2 DOUBLE 0.5
-- $3 DOUBLE 0
-- $4 DOUBLE 0.7
-- $5 DOUBLE 0.3
-- $6 DOUBLE 0
