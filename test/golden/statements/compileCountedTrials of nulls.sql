WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)) SELECT v.evaluation_key, v.path_key, v.kind, count(*), max(v.number) FROM (SELECT path_key, evaluation_key, row_key, trial_key, 0::UTINYINT AS kind, false AS late,
      number, NULL::VARCHAR AS text
    FROM (SELECT d.path_key AS path_key, n.evaluation_key AS evaluation_key, n.row_key AS row_key, n.trial_key AS trial_key,
      d.number AS number
    FROM (SELECT n.path_key AS place, n.evaluation_key AS evaluation_key, n.row_key AS row_key, n.trial_key AS trial_key
    FROM null_scores AS n ANTI JOIN (SELECT evaluation_key, row_key, trial_key FROM errored_trials
    WHERE evaluation_key IN (1, 2)) AS e USING (trial_key)
    WHERE n.evaluation_key IN (1, 2)) AS n JOIN (VALUES (9, 1, $2), (1, 1, $3), (-1, -1, $4)) AS d(place, path_key, number) ON d.place = n.place) AS c) AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) GROUP BY v.evaluation_key, v.path_key, v.kind UNION ALL SELECT v.evaluation_key, v.path_key, v.kind, count(*), max(v.number) FROM (SELECT path_key, evaluation_key, row_key, trial_key, 1::UTINYINT AS kind, false AS late,
      number, NULL::VARCHAR AS text
    FROM (SELECT d.path_key AS path_key, n.evaluation_key AS evaluation_key, n.row_key AS row_key, n.trial_key AS trial_key,
      d.number AS number
    FROM (SELECT n.path_key AS place, n.evaluation_key AS evaluation_key, n.row_key AS row_key, n.trial_key AS trial_key
    FROM null_scores AS n ANTI JOIN (SELECT evaluation_key, row_key, trial_key FROM errored_trials
    WHERE evaluation_key = 1) AS e USING (trial_key)
    WHERE n.evaluation_key = 1) AS n JOIN (VALUES (2, 2, $5)) AS d(place, path_key, number) ON d.place = n.place) AS c) AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) GROUP BY v.evaluation_key, v.path_key, v.kind;
-- $1 DOUBLE 0.9
-- $2 DOUBLE 0.5
-- $3 DOUBLE 0.5
-- $4 DOUBLE 0
-- $5 DOUBLE 0
