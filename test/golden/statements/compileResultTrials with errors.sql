WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)),
    page AS MATERIALIZED (SELECT row_key, digest, row_number() OVER () - 1 AS place
      FROM (SELECT s.row_key, d.digest FROM (WITH keyed AS MATERIALIZED (SELECT row_key, k.number FROM (SELECT row_key, nearest_double(sum(CAST(trunc(number * 9.007199254740992e+15::DOUBLE) AS BIGINT))::HUGEINT * 33554432 * 33554432
        + sum(CAST((number * 9.007199254740992e+15::DOUBLE - trunc(number * 9.007199254740992e+15::DOUBLE)) * 1.125899906842624e+15::DOUBLE AS BIGINT))::HUGEINT)
        / 1.125899906842624e+15::DOUBLE / 9.007199254740992e+15::DOUBLE / count(number) AS number, NULL::VARCHAR AS text FROM scores WHERE path_key = 1
    AND evaluation_key IN (1, 2) GROUP BY row_key) AS k JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)),
      ends AS MATERIALIZED (SELECT min(number) AS least, max(number) AS most FROM (SELECT number FROM keyed
        WHERE number IS NOT NULL ORDER BY number DESC LIMIT $2) HAVING count(*) = $3),
      few AS MATERIALIZED (SELECT count(*) = 0 AS few FROM ends),
      near AS (SELECT keyed.* FROM keyed JOIN ends ON keyed.number >= least AND keyed.number <= most
        UNION ALL SELECT row_key, k.number FROM (SELECT row_key FROM selected, few WHERE few) AS s
          LEFT JOIN (SELECT keyed.* FROM keyed, few WHERE few) AS k USING (row_key))
      SELECT row_key, any_value(number) AS number FROM near GROUP BY row_key) AS s JOIN rows AS d ON d.row_key = s.row_key
    ORDER BY s.number DESC NULLS LAST, d.digest LIMIT $4)), failed AS MATERIALIZED (SELECT trial_key FROM errored_trials
      WHERE evaluation_key IN (1, 2))
    SELECT CAST(page.place AS INTEGER) AS row_order, CAST((CASE t.evaluation_key WHEN 1 THEN 0 WHEN 2 THEN 1 END) AS INTEGER) AS evaluation,
      CAST(coalesce(r.place, 0) AS INTEGER) AS trial_index, t.latency_seconds AS model_latency_seconds,
      t.total_tokens AS total_tokens, f.error FROM trials AS t JOIN page ON page.row_key = t.row_key LEFT JOIN (SELECT trial_key,
      CAST(row_number() OVER (PARTITION BY row_key, evaluation_key ORDER BY started_at, id) - 1 AS INTEGER) AS place
    FROM trials SEMI JOIN (SELECT row_key, evaluation_key FROM trials WHERE evaluation_key = 1
      GROUP BY row_key, evaluation_key HAVING count(*) > 1) AS several USING (row_key, evaluation_key)) AS r ON r.trial_key = t.trial_key LEFT JOIN (SELECT trial_key, first(exception ORDER BY place) AS error
    FROM (SELECT call_key AS trial_key, exception, 0 AS place FROM calls
      WHERE call_key IN (SELECT trial_key FROM failed) AND exception <> '' UNION ALL SELECT t.trial_key, p.exception, 1 AS place FROM (SELECT trial_key, predict_call_id FROM trials WHERE trial_key IN (SELECT trial_key FROM failed)) AS t
      JOIN calls AS p ON p.id_hash = md5_number_lower(concat(1, ':', t.predict_call_id))
        AND p.id = t.predict_call_id AND p.project_key = 1 AND NOT p.hidden
      WHERE p.exception <> '')
    GROUP BY trial_key) AS f ON f.trial_key = t.trial_key WHERE t.evaluation_key IN (1, 2) ORDER BY 1, 2, 3;
-- $1 DOUBLE 0.9
-- $2 BIGINT 10
-- $3 BIGINT 10
-- $4 BIGINT 10
