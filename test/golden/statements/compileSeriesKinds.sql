SELECT v.evaluation_key, v.path_key, v.kind FROM (SELECT path_key, evaluation_key, row_key, trial_key, kind, late, number, text FROM scores UNION ALL SELECT -1 AS path_key, evaluation_key, row_key, trial_key,
    0::UTINYINT AS kind, false AS late, "c0_0" AS number, NULL::VARCHAR AS text
    FROM (SELECT *, finite((($1 * "x1") + ($2 * "x2"))) AS "c0_0" FROM (SELECT "x1".evaluation_key AS evaluation_key, "x1".row_key AS row_key, "x1".trial_key AS trial_key, "x1".number AS "x1", "x2".number AS "x2"
    FROM (SELECT path_key, evaluation_key, row_key, trial_key, number FROM scores WHERE path_key = 1
    AND evaluation_key IN (1, 2) AND kind < 2 AND number IS NOT NULL) AS "x1" JOIN (SELECT path_key, evaluation_key, row_key, trial_key, number FROM scores WHERE path_key = 2
    AND evaluation_key IN (1, 2) AND kind < 2 AND number IS NOT NULL) AS "x2" ON "x2".trial_key = "x1".trial_key)) WHERE "c0_0" IS NOT NULL) AS v
    WHERE v.evaluation_key IN (1, 2)
    AND (v.kind = 2 OR v.number IS NOT NULL) GROUP BY v.evaluation_key, v.path_key, v.kind;
-- $1 DOUBLE 0.7
-- $2 DOUBLE 0.3
