WITH selected AS MATERIALIZED (SELECT row_key FROM trials WHERE evaluation_key IN (1, 2) GROUP BY row_key)
    SELECT s.row_key, digest, (SELECT count(*) FROM selected) FROM (WITH keyed AS MATERIALIZED (SELECT row_key, k.number FROM (SELECT row_key, avg(number) AS number, NULL::VARCHAR AS text FROM scores WHERE path_key = 8
    AND evaluation_key IN (1, 2) AND NOT scores.late GROUP BY row_key) AS k),
      ends AS MATERIALIZED (SELECT min(number) AS least, max(number) AS most FROM (SELECT number FROM keyed
        WHERE number IS NOT NULL ORDER BY number ASC LIMIT $1) HAVING count(*) = $2),
      few AS MATERIALIZED (SELECT count(*) = 0 AS few FROM ends),
      near AS (SELECT keyed.* FROM keyed JOIN ends ON keyed.number >= least AND keyed.number <= most
        UNION ALL SELECT row_key, k.number FROM (SELECT row_key FROM selected, few WHERE few) AS s
          LEFT JOIN (SELECT keyed.* FROM keyed, few WHERE few) AS k USING (row_key))
      SELECT row_key, any_value(number) AS number FROM near GROUP BY row_key) AS s JOIN rows AS d ON d.row_key = s.row_key
    ORDER BY s.number ASC NULLS LAST, d.digest LIMIT $3;
-- $1 BIGINT 10
-- $2 BIGINT 10
-- $3 BIGINT 10

WITH selected AS MATERIALIZED (SELECT row_key FROM trials WHERE evaluation_key IN (1, 2) GROUP BY row_key)
    SELECT NULL, NULL, NULL, count(*), NULL, NULL, NULL FROM selected
    UNION ALL SELECT t.evaluation_key, NULL, NULL, count(*), sum(TRY_CAST(t.own_tokens * 1000 AS BIGINT))::HUGEINT, NULL::HUGEINT, NULL::DOUBLE FROM (SELECT evaluation_key, row_key, total_tokens AS tokens, own_total_tokens AS own_tokens FROM trials) AS t WHERE t.evaluation_key IN (1, 2) GROUP BY t.evaluation_key
    UNION ALL SELECT v.evaluation_key, v.path_key, v.kind, count(*), sum(CAST(v.number * 1.152921504606847e+18::DOUBLE AS BIGINT))::HUGEINT, NULL::HUGEINT, NULL::DOUBLE
      FROM scores AS v WHERE v.evaluation_key IN (1, 2) AND v.path_key IN (2, 3, 4, 6, 8) AND NOT v.late
      GROUP BY v.evaluation_key, v.path_key, v.kind
    UNION ALL SELECT v.evaluation_key, v.path_key, v.kind, count(*), sum(CAST(trunc(v.number * 9.007199254740992e+15::DOUBLE) AS BIGINT))::HUGEINT,
        sum(CAST((v.number * 9.007199254740992e+15::DOUBLE - trunc(v.number * 9.007199254740992e+15::DOUBLE)) * 1.125899906842624e+15::DOUBLE AS BIGINT))::HUGEINT, NULL::DOUBLE
      FROM scores AS v WHERE v.evaluation_key IN (1, 2) AND v.path_key = 1 AND NOT v.late
      GROUP BY v.evaluation_key, v.path_key, v.kind;
