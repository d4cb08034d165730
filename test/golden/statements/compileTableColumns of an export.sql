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
    ORDER BY s.number DESC NULLS LAST, d.digest LIMIT $4)), times(evaluation_key, began, ended) AS (VALUES (1, $5, $6), (2, $7, $8)), failed AS MATERIALIZED (SELECT evaluation_key, row_key, trial_key FROM errored_trials
    WHERE evaluation_key IN (1, 2)),
    k AS MATERIALIZED (SELECT n.trial_key, n.row_key, coalesce(r.place, 0) AS trial_index,
        page.place * 2 + (CASE n.evaluation_key WHEN 1 THEN 0 WHEN 2 THEN 1 END) AS place, v."s0" AS "s0", v."s1" AS "s1"
      FROM trials AS n JOIN page ON page.row_key = n.row_key LEFT JOIN (SELECT trial_key,
      CAST(row_number() OVER (PARTITION BY row_key, evaluation_key ORDER BY started_at, id) - 1 AS INTEGER) AS place
    FROM trials SEMI JOIN (SELECT row_key, evaluation_key FROM trials WHERE evaluation_key = 1
      GROUP BY row_key, evaluation_key HAVING count(*) > 1) AS several USING (row_key, evaluation_key)) AS r ON r.trial_key = n.trial_key LEFT JOIN (SELECT v.trial_key, max(CASE WHEN v.path_key = 1 AND v.kind = 0 THEN v.number END) AS "s0", CAST(max(CASE WHEN v.path_key = 2 AND v.kind = 1 THEN v.number END) = 1 AS BOOLEAN) AS "s1" FROM (SELECT path_key, evaluation_key, row_key, trial_key, kind, late, number, text FROM scores UNION ALL SELECT -1 AS path_key, evaluation_key, row_key, trial_key,
    0::UTINYINT AS kind, false AS late, "c0_0" AS number, NULL::VARCHAR AS text
    FROM (SELECT *, finite((($9 * "x1") + ($10 * "x2"))) AS "c0_0" FROM (SELECT "x1".evaluation_key AS evaluation_key, "x1".row_key AS row_key, "x1".trial_key AS trial_key, "x1".number AS "x1", "x2".number AS "x2"
    FROM (SELECT path_key, evaluation_key, row_key, trial_key, number FROM scores WHERE path_key = 1
    AND evaluation_key IN (1, 2) AND kind < 2 AND number IS NOT NULL) AS "x1" JOIN (SELECT path_key, evaluation_key, row_key, trial_key, number FROM scores WHERE path_key = 2
    AND evaluation_key IN (1, 2) AND kind < 2 AND number IS NOT NULL) AS "x2" ON "x2".trial_key = "x1".trial_key)) WHERE "c0_0" IS NOT NULL) AS v SEMI JOIN page ON page.row_key = v.row_key
    WHERE v.evaluation_key IN (1, 2) GROUP BY v.trial_key) AS v ON v.trial_key = n.trial_key
      WHERE n.evaluation_key IN (1, 2))
    SELECT page.digest AS "row_digest", CAST(page.place AS INTEGER) AS "row_order", e.id AS "evaluation_call_id", e.display_name AS "evaluation_name", e.evaluation_ref AS "evaluation_ref", e.model_ref AS "model", nullIf(w.began, '') AS "started_at", nullIf(w.ended, '') AS "ended_at", e.exception AS "evaluation_error", coalesce(e.trace_id, '') AS "trace_id", CAST(k.trial_index AS INTEGER) AS "trial_index", t.id AS "predict_and_score_call_id", t.predict_call_id AS "predict_call_id", t.latency_seconds AS "model_latency_seconds", t.total_tokens AS "total_tokens", list_filter([CAST(model_output(t.output, '') AS VARCHAR)], lambda spelled: spelled <> 'null')[1] AS "model_output", regexp_replace(t.reference_prefix, $11, '', 'g') AS "dataset_ref", (t.started_at - coalesce(e.started_at, 0)) / 1e6 AS "started_after_seconds", x.error AS "error", list_filter([CAST(json_extract(t.output, $12) AS VARCHAR)], lambda spelled: spelled <> 'null')[1] AS "details", k."s0" AS "scores.acc", k."s1" AS "scores.ok", z.names AS "null_scores", nullif(CASE WHEN f.prefix IS NULL THEN coalesce(f.example, f.inline_example) ELSE CAST(to_json(f.prefix || f.digest) AS VARCHAR) END, 'null') AS "raw_data_row" FROM trials AS t JOIN k ON k.trial_key = t.trial_key
    JOIN page ON page.row_key = k.row_key
    JOIN evaluations AS e ON e.evaluation_key = t.evaluation_key
    JOIN times AS w ON w.evaluation_key = t.evaluation_key
    LEFT JOIN (SELECT trial_key, coalesce(stated, $13) AS error FROM (SELECT f.evaluation_key AS evaluation_key, f.row_key AS row_key, f.trial_key AS trial_key, x.error AS stated
    FROM failed AS f LEFT JOIN (SELECT trial_key, first(exception ORDER BY place) AS error
    FROM (SELECT call_key AS trial_key, exception, 0 AS place FROM calls
      WHERE call_key IN (SELECT trial_key FROM failed) AND exception <> '' UNION ALL SELECT t.trial_key, p.exception, 1 AS place FROM (SELECT trial_key, predict_call_id FROM trials WHERE trial_key IN (SELECT trial_key FROM failed)) AS t
      JOIN calls AS p ON p.id_hash = md5_number_lower(concat(1, ':', t.predict_call_id))
        AND p.id = t.predict_call_id AND p.project_key = 1 AND NOT p.hidden
      WHERE p.exception <> '')
    GROUP BY trial_key) AS x ON x.trial_key = f.trial_key)) AS x ON x.trial_key = t.trial_key
    LEFT JOIN (SELECT v.trial_key AS trial_key, concat('[', string_agg(CASE v.path_key WHEN 1 THEN $14 END::VARCHAR, ',' ORDER BY v.path_key), ']') AS names FROM null_scores AS v
    WHERE v.evaluation_key IN (1, 2) GROUP BY v.trial_key) AS z ON z.trial_key = t.trial_key JOIN (SELECT d.row_key, d.digest, t.first.prefix, t.first.example, d.val, d.inline_example
    FROM (SELECT t.row_key, first(struct_pack(prefix := t.reference_prefix, example := t.example) ORDER BY (CASE t.evaluation_key WHEN 1 THEN 0 WHEN 2 THEN 1 END), t.started_at, t.id) AS first
      FROM trials AS t SEMI JOIN page ON page.row_key = t.row_key
      WHERE t.evaluation_key IN (1, 2) GROUP BY t.row_key) AS t
    JOIN rows AS d ON d.row_key = t.row_key) AS f ON f.row_key = page.row_key ORDER BY k.place, k.trial_index;
-- $1 DOUBLE 0.9
-- $2 BIGINT 10
-- $3 BIGINT 10
-- $4 BIGINT 10
-- $5 VARCHAR "2026-01-31T12:00:00Z"
-- $6 VARCHAR ""
-- $7 VARCHAR "2026-01-31T12:00:00Z"
-- $8 VARCHAR ""
-- $9 DOUBLE 0.7
-- $10 DOUBLE 0.3
-- $11 VARCHAR "/attr/rows/id/$"
-- $12 VARCHAR "/details"
-- $13 VARCHAR "no output"
-- $14 VARCHAR "\"acc\""
