WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key HAVING count(*) > 0)), pairs AS MATERIALIZED (SELECT coalesce(a.row_key, b.row_key) AS row_key,
    coalesce(a.evaluation_key, b.evaluation_key) AS evaluation_key, a.value AS a, b.value AS b
    FROM (SELECT trial_key, row_key, evaluation_key, number AS value FROM (SELECT trial_key, row_key, evaluation_key, kind, number, text
    FROM scores JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE path_key = 1
    AND evaluation_key IN (1, 2))
        WHERE kind < 2 AND number IS NOT NULL) AS a FULL JOIN (SELECT trial_key, row_key, evaluation_key, number AS value FROM (SELECT trial_key, row_key, evaluation_key, kind, number, text
    FROM scores JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE path_key = 2
    AND evaluation_key IN (1, 2))
        WHERE kind < 2 AND number IS NOT NULL) AS b ON b.trial_key = a.trial_key), means AS MATERIALIZED (SELECT evaluation_key, nearest_double(sum(CAST(trunc((CASE WHEN b IS NOT NULL THEN a END) * 9.007199254740992e+15::DOUBLE) AS BIGINT))::HUGEINT * 33554432 * 33554432
        + sum(CAST(((CASE WHEN b IS NOT NULL THEN a END) * 9.007199254740992e+15::DOUBLE - trunc((CASE WHEN b IS NOT NULL THEN a END) * 9.007199254740992e+15::DOUBLE)) * 1.125899906842624e+15::DOUBLE AS BIGINT))::HUGEINT)
        / 1.125899906842624e+15::DOUBLE / 9.007199254740992e+15::DOUBLE / count((CASE WHEN b IS NOT NULL THEN a END)) AS a,
      sum((CASE WHEN a IS NOT NULL THEN b END)) / count((CASE WHEN a IS NOT NULL THEN b END)) AS b, sum((CASE WHEN a IS NULL THEN b END)) / count((CASE WHEN a IS NULL THEN b END)) AS c
      FROM pairs WHERE b IS NOT NULL GROUP BY evaluation_key, row_key), sizes AS MATERIALIZED (SELECT evaluation_key, coalesce(pow(2, least(1000, greatest(-1000, 60 - floor(log2(nullif(max(abs("a")), 0)))))), 1) AS "scale_a", coalesce(pow(2, least(1000, greatest(-1000, 60 - floor(log2(nullif(max(abs("b")), 0)))))), 1) AS "scale_b", coalesce(pow(2, least(1000, greatest(-1000, 60 - floor(log2(nullif(max(abs("c")), 0)))))), 1) AS "scale_c"
      FROM means GROUP BY evaluation_key), centre AS MATERIALIZED (SELECT evaluation_key, count(a) AS n, (nearest_double(coalesce(sum(CAST("a" * "scale_a" AS BIGINT)), 0)) / any_value("scale_a")) / count(a) AS a,
      (nearest_double(coalesce(sum(CAST("b" * "scale_b" AS BIGINT)), 0)) / any_value("scale_b")) / count(b) AS b, count(c) AS nc, (nearest_double(coalesce(sum(CAST("c" * "scale_c" AS BIGINT)), 0)) / any_value("scale_c")) / count(c) AS c
      FROM means JOIN sizes USING (evaluation_key) GROUP BY evaluation_key), units AS MATERIALIZED (SELECT evaluation_key, scale_a AS unit_a, least(scale_b, scale_c) AS unit_b FROM sizes), products AS (SELECT evaluation_key, da * da AS aa, db * db AS bb, da * db AS ab, dc * dc AS cc FROM (
      SELECT evaluation_key, m.a * unit_a - k.a * unit_a AS da, m.b * unit_b - k.b * unit_b AS db,
      m.c * unit_b - k.c * unit_b AS dc
      FROM means AS m JOIN centre AS k USING (evaluation_key) JOIN units USING (evaluation_key))), scales AS MATERIALIZED (SELECT evaluation_key, coalesce(pow(2, least(1000, greatest(-1000, 60 - floor(log2(nullif(max(abs("aa")), 0)))))), 1) AS "scale_aa", coalesce(pow(2, least(1000, greatest(-1000, 60 - floor(log2(nullif(max(abs("bb")), 0)))))), 1) AS "scale_bb", coalesce(pow(2, least(1000, greatest(-1000, 60 - floor(log2(nullif(max(abs("ab")), 0)))))), 1) AS "scale_ab",
      coalesce(pow(2, least(1000, greatest(-1000, 60 - floor(log2(nullif(max(abs("cc")), 0)))))), 1) AS "scale_cc" FROM products GROUP BY evaluation_key), sums AS (SELECT evaluation_key, (nearest_double(coalesce(sum(CAST("aa" * "scale_aa" AS BIGINT)), 0)) / any_value("scale_aa")) AS aa, (nearest_double(coalesce(sum(CAST("bb" * "scale_bb" AS BIGINT)), 0)) / any_value("scale_bb")) AS bb, (nearest_double(coalesce(sum(CAST("ab" * "scale_ab" AS BIGINT)), 0)) / any_value("scale_ab")) AS ab,
      (nearest_double(coalesce(sum(CAST("cc" * "scale_cc" AS BIGINT)), 0)) / any_value("scale_cc")) AS cc FROM products JOIN scales USING (evaluation_key) GROUP BY evaluation_key) SELECT evaluation_key, unit_a, unit_b, centre.n, centre.a, centre.b, aa, bb, ab, centre.nc, centre.c, cc
    FROM centre JOIN sums USING (evaluation_key) JOIN units USING (evaluation_key);
-- $1 DOUBLE 0.9
