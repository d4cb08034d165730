WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)), pairs AS MATERIALIZED (SELECT coalesce(a.row_key, b.row_key) AS row_key,
    coalesce(a.evaluation_key, b.evaluation_key) AS evaluation_key, a.value AS a, b.value AS b
    FROM (SELECT trial_key, row_key, evaluation_key, number AS value FROM (SELECT trial_key, row_key, evaluation_key, kind, number, text
    FROM scores JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE path_key = 1
    AND evaluation_key IN (1, 2))
        WHERE kind < 2 AND number IS NOT NULL) AS a FULL JOIN (SELECT trial_key, row_key, evaluation_key, number AS value FROM (SELECT trial_key, row_key, evaluation_key, kind, number, text
    FROM scores JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE path_key = 2
    AND evaluation_key IN (1, 2))
        WHERE kind < 2 AND number IS NOT NULL) AS b ON b.trial_key = a.trial_key), centre AS MATERIALIZED (SELECT nearest_double(sum(CAST(trunc(pairs.a * 9.007199254740992e+15::DOUBLE) AS BIGINT))::HUGEINT * 33554432 * 33554432
        + sum(CAST((pairs.a * 9.007199254740992e+15::DOUBLE - trunc(pairs.a * 9.007199254740992e+15::DOUBLE)) * 1.125899906842624e+15::DOUBLE AS BIGINT))::HUGEINT)
        / 1.125899906842624e+15::DOUBLE / 9.007199254740992e+15::DOUBLE / count(pairs.a) AS a, avg(pairs.b) AS b FROM pairs WHERE pairs.a IS NOT NULL AND pairs.b IS NOT NULL), sizes AS MATERIALIZED (SELECT CASE WHEN max(abs("a")) > 0 THEN pow(2, least(1000, greatest(-1000, 60 - floor(log2(max(abs("a"))))))) ELSE 1 END AS "scale_a", CASE WHEN max(abs("b")) > 0 THEN pow(2, least(1000, greatest(-1000, 60 - floor(log2(max(abs("b"))))))) ELSE 1 END AS "scale_b" FROM pairs WHERE pairs.a IS NOT NULL AND pairs.b IS NOT NULL), products AS (SELECT da * da AS aa, db * db AS bb, da * db AS ab FROM (
      SELECT pairs.a * scale_a - centre.a * scale_a AS da, pairs.b * scale_b - centre.b * scale_b AS db
      FROM pairs CROSS JOIN centre CROSS JOIN sizes WHERE pairs.a IS NOT NULL AND pairs.b IS NOT NULL)), scales AS MATERIALIZED (SELECT CASE WHEN max(abs("aa")) > 0 THEN pow(2, least(1000, greatest(-1000, 60 - floor(log2(max(abs("aa"))))))) ELSE 1 END AS "scale_aa", CASE WHEN max(abs("bb")) > 0 THEN pow(2, least(1000, greatest(-1000, 60 - floor(log2(max(abs("bb"))))))) ELSE 1 END AS "scale_bb", CASE WHEN max(abs("ab")) > 0 THEN pow(2, least(1000, greatest(-1000, 60 - floor(log2(max(abs("ab"))))))) ELSE 1 END AS "scale_ab" FROM products) SELECT (nearest_double(coalesce(sum(CAST("aa" * "scale_aa" AS BIGINT)), 0)) / any_value("scale_aa")), (nearest_double(coalesce(sum(CAST("bb" * "scale_bb" AS BIGINT)), 0)) / any_value("scale_bb")), (nearest_double(coalesce(sum(CAST("ab" * "scale_ab" AS BIGINT)), 0)) / any_value("scale_ab"))
    FROM products CROSS JOIN scales;
-- $1 DOUBLE 0.9
