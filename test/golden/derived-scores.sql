WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM (SELECT -1 AS path_key, evaluation_key, row_key, trial_key,
    0::UTINYINT AS kind, false AS late, "c0_0" AS number, NULL::VARCHAR AS text
    FROM (SELECT *, finite((($1 * "x1") + ($2 * "x2"))) AS "c0_0" FROM (SELECT "x1".evaluation_key AS evaluation_key, "x1".row_key AS row_key, "x1".trial_key AS trial_key, "x1".number AS "x1", "x2".number AS "x2"
    FROM (SELECT path_key, evaluation_key, row_key, trial_key, number FROM scores WHERE path_key = 1
    AND evaluation_key IN (1, 2) AND kind < 2 AND number IS NOT NULL) AS "x1" JOIN (SELECT path_key, evaluation_key, row_key, trial_key, number FROM scores WHERE path_key = 2
    AND evaluation_key IN (1, 2) AND kind < 2 AND number IS NOT NULL) AS "x2" ON "x2".trial_key = "x1".trial_key)) WHERE "c0_0" IS NOT NULL) AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = -1 AND (("s0".number > $3) OR "s0".row_key IS NULL) GROUP BY "s0".row_key))
    SELECT s.row_key, digest, (SELECT count(*) FROM selected) FROM (SELECT row_key, k.number FROM selected LEFT JOIN (SELECT row_key, nearest_double(sum(CAST(number * 1.8014398509481984e+16::DOUBLE AS BIGINT))) / 1.8014398509481984e+16::DOUBLE / count(number) AS number, NULL::VARCHAR AS text FROM (SELECT -1 AS path_key, evaluation_key, row_key, trial_key,
    0::UTINYINT AS kind, false AS late, "c0_0" AS number, NULL::VARCHAR AS text
    FROM (SELECT *, finite((($4 * "x1") + ($5 * "x2"))) AS "c0_0" FROM (SELECT "x1".evaluation_key AS evaluation_key, "x1".row_key AS row_key, "x1".trial_key AS trial_key, "x1".number AS "x1", "x2".number AS "x2"
    FROM (SELECT path_key, evaluation_key, row_key, trial_key, number FROM scores WHERE path_key = 1
    AND evaluation_key IN (1, 2) AND kind < 2 AND number IS NOT NULL) AS "x1" JOIN (SELECT path_key, evaluation_key, row_key, trial_key, number FROM scores WHERE path_key = 2
    AND evaluation_key IN (1, 2) AND kind < 2 AND number IS NOT NULL) AS "x2" ON "x2".trial_key = "x1".trial_key)) WHERE "c0_0" IS NOT NULL) AS scores WHERE path_key = -1
    AND evaluation_key IN (1, 2) GROUP BY row_key) AS k USING (row_key)) AS s JOIN rows AS d ON d.row_key = s.row_key
    ORDER BY s.number DESC NULLS LAST, d.digest;
-- $1 DOUBLE 0.7
-- $2 DOUBLE 0.3
-- $3 DOUBLE 0.1
-- $4 DOUBLE 0.7
-- $5 DOUBLE 0.3

WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM (SELECT -1 AS path_key, evaluation_key, row_key, trial_key,
    0::UTINYINT AS kind, false AS late, "c0_0" AS number, NULL::VARCHAR AS text
    FROM (SELECT *, finite((($1 * "x1") + ($2 * "x2"))) AS "c0_0" FROM (SELECT "x1".evaluation_key AS evaluation_key, "x1".row_key AS row_key, "x1".trial_key AS trial_key, "x1".number AS "x1", "x2".number AS "x2"
    FROM (SELECT path_key, evaluation_key, row_key, trial_key, number FROM scores WHERE path_key = 1
    AND evaluation_key IN (1, 2) AND kind < 2 AND number IS NOT NULL) AS "x1" JOIN (SELECT path_key, evaluation_key, row_key, trial_key, number FROM scores WHERE path_key = 2
    AND evaluation_key IN (1, 2) AND kind < 2 AND number IS NOT NULL) AS "x2" ON "x2".trial_key = "x1".trial_key)) WHERE "c0_0" IS NOT NULL) AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = -1 AND (("s0".number > $3) OR "s0".row_key IS NULL) GROUP BY "s0".row_key))
    SELECT NULL, NULL, NULL, count(*), NULL, NULL, NULL FROM selected
    UNION ALL SELECT t.evaluation_key, NULL, NULL, count(*), sum(TRY_CAST(t.tokens * 1000 AS BIGINT))::HUGEINT, NULL::HUGEINT, NULL::DOUBLE FROM (SELECT evaluation_key, row_key, total_tokens AS tokens, own_total_tokens AS own_tokens FROM trials) AS t JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE t.evaluation_key IN (1, 2) GROUP BY t.evaluation_key
    UNION ALL SELECT v.evaluation_key, v.path_key, v.kind, count(*), sum(CAST(v.number * 1.152921504606847e+18::DOUBLE AS BIGINT))::HUGEINT, NULL::HUGEINT, NULL::DOUBLE
      FROM scores AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE v.evaluation_key IN (1, 2) AND v.path_key IN (2, 3, 4, 6, 8, -1, -2)
      GROUP BY v.evaluation_key, v.path_key, v.kind
    UNION ALL SELECT v.evaluation_key, v.path_key, v.kind, count(*), sum(CAST(v.number * 1.152921504606847e+18::DOUBLE AS BIGINT))::HUGEINT, NULL::HUGEINT, NULL::DOUBLE
      FROM (SELECT -1 AS path_key, evaluation_key, row_key, trial_key,
    0::UTINYINT AS kind, false AS late, "c0_0" AS number, NULL::VARCHAR AS text
    FROM (SELECT *, finite((($4 * "x1") + ($5 * "x2"))) AS "c0_0" FROM (SELECT "x1".evaluation_key AS evaluation_key, "x1".row_key AS row_key, "x1".trial_key AS trial_key, "x1".number AS "x1", "x2".number AS "x2"
    FROM (SELECT path_key, evaluation_key, row_key, trial_key, number FROM scores WHERE path_key = 1
    AND evaluation_key IN (1, 2) AND kind < 2 AND number IS NOT NULL) AS "x1" JOIN (SELECT path_key, evaluation_key, row_key, trial_key, number FROM scores WHERE path_key = 2
    AND evaluation_key IN (1, 2) AND kind < 2 AND number IS NOT NULL) AS "x2" ON "x2".trial_key = "x1".trial_key)) WHERE "c0_0" IS NOT NULL) AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE v.evaluation_key IN (1, 2) AND v.path_key IN (2, 3, 4, 6, 8, -1, -2)
      GROUP BY v.evaluation_key, v.path_key, v.kind
    UNION ALL SELECT v.evaluation_key, v.path_key, v.kind, count(*), sum(CAST(v.number * 1.152921504606847e+18::DOUBLE AS BIGINT))::HUGEINT, NULL::HUGEINT, NULL::DOUBLE
      FROM (SELECT -2 AS path_key, evaluation_key, row_key, trial_key,
    1::UTINYINT AS kind, false AS late, "c1_0" AS number, NULL::VARCHAR AS text
    FROM (SELECT *, CAST((CASE WHEN "c0_0" THEN ("x1" - $6 > greatest(1e-12::DOUBLE * greatest(abs("x1"), abs($7)), 1e-15::DOUBLE)) WHEN NOT "c0_0" THEN (abs("x4" - $8) <= greatest(1e-12::DOUBLE * greatest(abs("x4"), abs($9)), 1e-15::DOUBLE)) END) AS DOUBLE) AS "c1_0" FROM (SELECT *, ("x2" <> 0) AS "c0_0" FROM (SELECT "x2".evaluation_key AS evaluation_key, "x2".row_key AS row_key, "x2".trial_key AS trial_key, "x2".number AS "x2", "x1".number AS "x1", "x4".number AS "x4"
    FROM (SELECT path_key, evaluation_key, row_key, trial_key, number FROM scores WHERE path_key = 2
    AND evaluation_key IN (1, 2) AND kind < 2 AND number IS NOT NULL) AS "x2" LEFT JOIN (SELECT path_key, evaluation_key, row_key, trial_key, number FROM scores WHERE path_key = 1
    AND evaluation_key IN (1, 2) AND kind < 2 AND number IS NOT NULL) AS "x1" ON "x1".trial_key = "x2".trial_key LEFT JOIN (SELECT path_key, evaluation_key, row_key, trial_key, number FROM scores WHERE path_key = 4
    AND evaluation_key IN (1, 2) AND kind < 2 AND number IS NOT NULL) AS "x4" ON "x4".trial_key = "x2".trial_key))) WHERE "c1_0" IS NOT NULL) AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE v.evaluation_key IN (1, 2) AND v.path_key IN (2, 3, 4, 6, 8, -1, -2)
      GROUP BY v.evaluation_key, v.path_key, v.kind
    UNION ALL SELECT v.evaluation_key, v.path_key, v.kind, count(*), sum(CAST(trunc(v.number * 9.007199254740992e+15::DOUBLE) AS BIGINT))::HUGEINT,
        sum(CAST((v.number * 9.007199254740992e+15::DOUBLE - trunc(v.number * 9.007199254740992e+15::DOUBLE)) * 1.125899906842624e+15::DOUBLE AS BIGINT))::HUGEINT, NULL::DOUBLE
      FROM scores AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE v.evaluation_key IN (1, 2) AND v.path_key = 1
      GROUP BY v.evaluation_key, v.path_key, v.kind;
-- $1 DOUBLE 0.7
-- $2 DOUBLE 0.3
-- $3 DOUBLE 0.1
-- $4 DOUBLE 0.7
-- $5 DOUBLE 0.3
-- $6 DOUBLE 0.5
-- $7 DOUBLE 0.5
-- $8 DOUBLE 1
-- $9 DOUBLE 1
