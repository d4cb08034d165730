WITH selected AS MATERIALIZED (SELECT row_key FROM trials WHERE evaluation_key IN (1, 2) GROUP BY row_key)
    SELECT NULL, NULL, NULL, count(*), NULL, NULL, NULL FROM selected
    UNION ALL SELECT t.evaluation_key, NULL, NULL, count(*), sum(TRY_CAST(t.tokens * 1000 AS BIGINT))::HUGEINT, NULL::HUGEINT, NULL::DOUBLE FROM (SELECT evaluation_key, row_key, total_tokens AS tokens, own_total_tokens AS own_tokens FROM trials) AS t WHERE t.evaluation_key IN (1, 2) GROUP BY t.evaluation_key
    UNION ALL SELECT v.evaluation_key, v.path_key, v.kind, count(*), sum(CAST(v.number * 1.152921504606847e+18::DOUBLE AS BIGINT))::HUGEINT, NULL::HUGEINT, NULL::DOUBLE
      FROM scores AS v WHERE v.evaluation_key IN (1, 2) AND v.path_key IN (2, 3, 4, 6, 8)
      GROUP BY v.evaluation_key, v.path_key, v.kind
    UNION ALL SELECT v.evaluation_key, v.path_key, v.kind, count(*), sum(CAST(trunc(v.number * 9.007199254740992e+15::DOUBLE) AS BIGINT))::HUGEINT,
        sum(CAST((v.number * 9.007199254740992e+15::DOUBLE - trunc(v.number * 9.007199254740992e+15::DOUBLE)) * 1.125899906842624e+15::DOUBLE AS BIGINT))::HUGEINT, NULL::DOUBLE
      FROM scores AS v WHERE v.evaluation_key IN (1, 2) AND v.path_key = 1
      GROUP BY v.evaluation_key, v.path_key, v.kind;
