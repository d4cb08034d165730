WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)), spent AS MATERIALIZED (SELECT u.path_key AS path_key, u.evaluation_key AS evaluation_key,
      u.row_key AS row_key, u.number AS x, s.value AS passed
    FROM (SELECT path_key, evaluation_key, row_key, trial_key, number FROM (SELECT -9 AS path_key, evaluation_key, row_key, trial_key, 0::UTINYINT AS kind,
      false AS late, "total_tokens" AS number, NULL::VARCHAR AS text
    FROM trials WHERE "total_tokens" IS NOT NULL AND evaluation_key IN (1, 2)) AS scores JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)) AS u
      LEFT JOIN (SELECT trial_key, row_key, evaluation_key, number AS value FROM (SELECT trial_key, row_key, evaluation_key, kind, number, text
    FROM scores WHERE path_key = 1
    AND evaluation_key IN (1, 2))
        WHERE kind < 2 AND number IS NOT NULL) AS s ON s.trial_key = u.trial_key), scales AS MATERIALIZED (SELECT path_key, CASE WHEN max(abs("x")) > 0 THEN pow(2, least(1000, greatest(-1000, 60 - floor(log2(max(abs("x"))))))) ELSE 1 END AS "scale_x" FROM spent GROUP BY path_key), by_row AS MATERIALIZED (SELECT spent.path_key AS path_key, evaluation_key, row_key,
      any_value(scale_x) AS scale, sum(CAST(x * scale_x AS BIGINT)) AS row_words, count(*) FILTER (passed = 1) AS row_successes, count(*) AS row_trials
    FROM spent JOIN scales ON scales.path_key = spent.path_key GROUP BY spent.path_key, evaluation_key, row_key), totals AS MATERIALIZED (SELECT path_key, evaluation_key,
      nearest_double(sum(row_words)) AS words, sum(row_successes)::DOUBLE AS successes,
      sum(row_trials) AS trials, count(*) AS row_count,
      count(*) FILTER (row_successes > 0) AS succeeded
    FROM by_row GROUP BY path_key, evaluation_key) SELECT t.evaluation_key, t.path_key, any_value(words / scale), any_value(successes), any_value(trials), any_value(row_count), any_value(succeeded), nearest_double(sum(CAST(least(4, (CASE WHEN words <> 0 AND successes > 0
      THEN nearest_double(row_words) / words - row_successes / successes ELSE 0 END) * (CASE WHEN words <> 0 AND successes > 0
      THEN nearest_double(row_words) / words - row_successes / successes ELSE 0 END)) * 1.152921504606847e+18::DOUBLE AS BIGINT))) FROM by_row AS r JOIN totals AS t ON t.path_key = r.path_key AND t.evaluation_key = r.evaluation_key
    GROUP BY t.evaluation_key, t.path_key;
-- $1 DOUBLE 0.9
