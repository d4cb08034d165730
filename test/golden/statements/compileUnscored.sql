WITH selected AS MATERIALIZED (SELECT row_key FROM (SELECT row_key FROM trials WHERE evaluation_key IN (1, 2)
    GROUP BY row_key HAVING bit_count(bit_or(1::BIGINT << (evaluation_key - 1))) = 2) SEMI JOIN ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)) AS kept USING (row_key)), errored AS MATERIALIZED (SELECT t.trial_key, t.evaluation_key FROM errored_trials AS t JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
      WHERE t.evaluation_key IN (1, 2)) SELECT evaluation_key, NULL, count(*), 0 FROM errored GROUP BY evaluation_key
    UNION ALL SELECT t.evaluation_key, t.path_key, count(*), count(e.trial_key) FROM null_scores AS t JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
      LEFT JOIN errored AS e ON e.trial_key = t.trial_key
      WHERE t.evaluation_key IN (1, 2)
      GROUP BY t.evaluation_key, t.path_key;
-- $1 DOUBLE 0.9
