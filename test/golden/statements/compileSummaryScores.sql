WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)) SELECT v.evaluation_key, v.path_key, v.kind, count(*), sum(CAST(v.number * 1.152921504606847e+18::DOUBLE AS BIGINT))::HUGEINT, NULL::HUGEINT, NULL::DOUBLE
      FROM scores AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE v.evaluation_key IN (1, 2) AND v.path_key IN (2, 3, 4, 6, 8, -1)
      GROUP BY v.evaluation_key, v.path_key, v.kind
    UNION ALL SELECT v.evaluation_key, v.path_key, v.kind, count(*), sum(CAST(v.number * 1.152921504606847e+18::DOUBLE AS BIGINT))::HUGEINT, NULL::HUGEINT, NULL::DOUBLE
      FROM (SELECT -1 AS path_key, evaluation_key, row_key, trial_key,
    0::UTINYINT AS kind, false AS late, "c0_0" AS number, NULL::VARCHAR AS text
    FROM (SELECT *, finite((($2 * "x1") + ($3 * "x2"))) AS "c0_0" FROM (SELECT "x1".evaluation_key AS evaluation_key, "x1".row_key AS row_key, "x1".trial_key AS trial_key, "x1".number AS "x1", "x2".number AS "x2"
    FROM (SELECT path_key, evaluation_key, row_key, trial_key, number FROM scores WHERE path_key = 1
    AND evaluation_key IN (1, 2) AND kind < 2 AND number IS NOT NULL) AS "x1" JOIN (SELECT path_key, evaluation_key, row_key, trial_key, number FROM scores WHERE path_key = 2
    AND evaluation_key IN (1, 2) AND kind < 2 AND number IS NOT NULL) AS "x2" ON "x2".trial_key = "x1".trial_key)) WHERE "c0_0" IS NOT NULL) AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE v.evaluation_key IN (1, 2) AND v.path_key IN (2, 3, 4, 6, 8, -1)
      GROUP BY v.evaluation_key, v.path_key, v.kind
    UNION ALL SELECT v.evaluation_key, v.path_key, v.kind, count(*), sum(CAST(trunc(v.number * 9.007199254740992e+15::DOUBLE) AS BIGINT))::HUGEINT,
        sum(CAST((v.number * 9.007199254740992e+15::DOUBLE - trunc(v.number * 9.007199254740992e+15::DOUBLE)) * 1.125899906842624e+15::DOUBLE AS BIGINT))::HUGEINT, NULL::DOUBLE
      FROM scores AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE v.evaluation_key IN (1, 2) AND v.path_key = 1
      GROUP BY v.evaluation_key, v.path_key, v.kind;
-- $1 DOUBLE 0.9
-- $2 DOUBLE 0.7
-- $3 DOUBLE 0.3
