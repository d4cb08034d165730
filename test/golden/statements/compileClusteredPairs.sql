WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)), baseline_rows AS MATERIALIZED (SELECT DISTINCT row_key FROM trials JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE evaluation_key = 1), clusters AS MATERIALIZED (SELECT row_key, CASE WHEN json_type(value) <> 'NULL' THEN value::VARCHAR END AS cluster
    FROM (SELECT row_key, json_extract(document, $2) AS value FROM (SELECT row_key, digest, coalesce(val, inline_example) AS document FROM rows
      WHERE project_key = 1))) SELECT baseline_key, evaluation_key, 1, m, count(*), sum(s), sum((s >> 40) * (s >> 40)), sum((s >> 40) * (s & (1048576::HUGEINT * 1048576 - 1))), sum((s & (1048576::HUGEINT * 1048576 - 1)) * (s & (1048576::HUGEINT * 1048576 - 1)))
      FROM (SELECT baseline_key, evaluation_key, coalesce(k.cluster, 'row ' || p.row_key) AS cluster, count(*) AS m, sum(p.x)::HUGEINT AS s
        FROM (SELECT baseline_key, evaluation_key, row_key, d AS x FROM (SELECT 1 AS baseline_key, c.evaluation_key, c.row_key, c.x AS a, b.x AS b, c.x - b.x AS d, greatest(c.trials, b.trials) AS trials
      FROM (SELECT evaluation_key, row_key, x, trials FROM (SELECT v.evaluation_key, v.path_key, v.row_key, v.x, CASE WHEN v.low = v.high THEN v.low ELSE v.x::DOUBLE * 8.673617379884035e-19::DOUBLE END AS value, v.trials
    FROM (SELECT 2 AS evaluation_key, 1 AS path_key, 0 AS kind, v.row_key, sum(CAST(v.number * 1.152921504606847e+18::DOUBLE AS BIGINT))::BIGINT // count(*) AS x, count(*) AS trials, min(v.number) AS low, max(v.number) AS high
      FROM scores AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE v.evaluation_key = 2 AND v.kind = 0 AND v.path_key = 1 AND v.number IS NOT NULL GROUP BY v.row_key) AS v)) AS c
      JOIN (SELECT r.row_key, v.x, v.trials FROM baseline_rows AS r
        LEFT JOIN (SELECT evaluation_key, row_key, x, trials FROM (SELECT v.evaluation_key, v.path_key, v.row_key, CAST(v.number * 1.152921504606847e+18::DOUBLE AS BIGINT) AS x,
    v.number AS value, 1 AS trials FROM scores AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE v.evaluation_key = 1 AND v.kind = 0 AND v.path_key = 1 AND v.number IS NOT NULL)) AS v ON v.row_key = r.row_key) AS b
      ON b.row_key = c.row_key) WHERE d IS NOT NULL) AS p JOIN clusters AS k ON k.row_key = p.row_key GROUP BY baseline_key, evaluation_key, coalesce(k.cluster, 'row ' || p.row_key))
      GROUP BY baseline_key, evaluation_key, m UNION ALL SELECT baseline_key, evaluation_key, 2, m, count(*), sum(s), sum((s >> 40) * (s >> 40)), sum((s >> 40) * (s & (1048576::HUGEINT * 1048576 - 1))), sum((s & (1048576::HUGEINT * 1048576 - 1)) * (s & (1048576::HUGEINT * 1048576 - 1)))
      FROM (SELECT baseline_key, evaluation_key, coalesce(k.cluster, 'row ' || p.row_key) AS cluster, count(*) AS m, sum(p.x)::HUGEINT AS s
        FROM (SELECT baseline_key, evaluation_key, row_key, d AS x FROM (SELECT 1 AS baseline_key, c.evaluation_key, c.row_key, c.x AS a, b.x AS b, c.x - b.x AS d, greatest(c.trials, b.trials) AS trials
      FROM (SELECT evaluation_key, row_key, x::INTEGER AS x, trials FROM (SELECT v.evaluation_key, v.path_key, v.row_key, v.x, v.x::DOUBLE * 1 AS value, v.trials
    FROM (SELECT 2 AS evaluation_key, 2 AS path_key, 1 AS kind, v.row_key, CAST(sum(v.number) * 1 AS BIGINT) // count(*) AS x, count(*) AS trials
      FROM scores AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE v.evaluation_key = 2 AND v.kind = 1 AND v.path_key = 2 AND v.number IS NOT NULL GROUP BY v.row_key) AS v)) AS c
      JOIN (SELECT r.row_key, v.x, v.trials FROM baseline_rows AS r
        LEFT JOIN (SELECT evaluation_key, row_key, x::INTEGER AS x, trials FROM (SELECT v.evaluation_key, v.path_key, v.row_key, CAST(v.number * 1 AS BIGINT) AS x,
    v.number AS value, 1 AS trials FROM scores AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE v.evaluation_key = 1 AND v.kind = 1 AND v.path_key = 2 AND v.number IS NOT NULL)) AS v ON v.row_key = r.row_key) AS b
      ON b.row_key = c.row_key) WHERE d IS NOT NULL) AS p JOIN clusters AS k ON k.row_key = p.row_key GROUP BY baseline_key, evaluation_key, coalesce(k.cluster, 'row ' || p.row_key))
      GROUP BY baseline_key, evaluation_key, m;
-- $1 DOUBLE 0.9
-- $2 VARCHAR "/q"
