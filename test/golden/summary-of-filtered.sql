WITH selected AS MATERIALIZED (SELECT row_key FROM (SELECT row_key FROM trials WHERE evaluation_key IN (1, 2)
    GROUP BY row_key HAVING bit_count(bit_or(1::BIGINT << (evaluation_key - 1))) = 2) SEMI JOIN ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)) AS kept USING (row_key))
    SELECT NULL, NULL, NULL, count(*), NULL, NULL, NULL FROM selected
    UNION ALL SELECT t.evaluation_key, NULL, NULL, count(*), sum(TRY_CAST(t.tokens * 1000 AS BIGINT))::HUGEINT, NULL::HUGEINT, NULL::DOUBLE FROM (SELECT evaluation_key, row_key, total_tokens AS tokens, own_total_tokens AS own_tokens FROM trials) AS t JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE t.evaluation_key IN (1, 2) GROUP BY t.evaluation_key
    UNION ALL SELECT v.evaluation_key, v.path_key, v.kind, count(*), sum(CAST(v.number * 1.152921504606847e+18::DOUBLE AS BIGINT))::HUGEINT, NULL::HUGEINT, NULL::DOUBLE
      FROM scores AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE v.evaluation_key IN (1, 2) AND v.path_key IN (2, 3, 4, 6, 8)
      GROUP BY v.evaluation_key, v.path_key, v.kind
    UNION ALL SELECT v.evaluation_key, v.path_key, v.kind, count(*), sum(CAST(trunc(v.number * 9.007199254740992e+15::DOUBLE) AS BIGINT))::HUGEINT,
        sum(CAST((v.number * 9.007199254740992e+15::DOUBLE - trunc(v.number * 9.007199254740992e+15::DOUBLE)) * 1.125899906842624e+15::DOUBLE AS BIGINT))::HUGEINT, NULL::DOUBLE
      FROM scores AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE v.evaluation_key IN (1, 2) AND v.path_key = 1
      GROUP BY v.evaluation_key, v.path_key, v.kind;
-- $1 DOUBLE 0.5
