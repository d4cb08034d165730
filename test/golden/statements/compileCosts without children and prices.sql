WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key HAVING count(*) > 0)), prices AS (SELECT '' AS model, 0::DOUBLE AS input, 0::DOUBLE AS output WHERE false), using_calls AS MATERIALIZED (SELECT t.trial_key, t.evaluation_key, t.trial_key AS call_key, (CASE WHEN (CASE WHEN json_type(t.output, $2) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(t.output, $3) AS DOUBLE) >= 0 THEN TRY_CAST(json_extract(t.output, $4) AS DOUBLE) END) < 1e18 THEN CAST(round((CASE WHEN json_type(t.output, $5) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(t.output, $6) AS DOUBLE) >= 0 THEN TRY_CAST(json_extract(t.output, $7) AS DOUBLE) END) * 1e12) AS HUGEINT) END) AS stated
      FROM trials AS t JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE t.evaluation_key IN (1, 2)), call_usage AS (
  SELECT u.trial_key, u.evaluation_key, u.stated,
    TRY(json_extract(c.record, '/summary/usage')) AS usage, TRY(json_extract(c.record, '/summary/weave/costs')) AS costs
  FROM using_calls AS u LEFT JOIN calls AS c ON c.call_key = u.call_key), model_usage AS (
  SELECT trial_key, evaluation_key, model, json_extract(usage, '/' || replace(replace(model, '~', '~0'), '/', '~1')) AS usage,
    json_extract(costs, '/' || replace(replace(model, '~', '~0'), '/', '~1')) AS costs
  FROM (SELECT trial_key, evaluation_key, usage, costs, unnest(list_distinct(list_concat(
      CASE WHEN json_type(usage) = 'OBJECT' THEN json_keys(usage) ELSE [] END,
      CASE WHEN json_type(costs) = 'OBJECT' THEN json_keys(costs) ELSE [] END))) AS model
    FROM call_usage WHERE stated IS NULL)
  WHERE json_type(usage, '/' || replace(replace(model, '~', '~0'), '/', '~1')) = 'OBJECT' OR json_type(costs, '/' || replace(replace(model, '~', '~0'), '/', '~1')) = 'OBJECT'), model_costs AS MATERIALIZED (
    SELECT trial_key, evaluation_key, model, carried, input_price IS NOT NULL AS has_price,
      coalesce((CASE WHEN carried < 1e18 THEN CAST(round(carried * 1e12) AS HUGEINT) END), (CASE WHEN ((input * input_price + output * output_price) / 1e6) < 1e18 THEN CAST(round(((input * input_price + output * output_price) / 1e6) * 1e12) AS HUGEINT) END)) AS cost
    FROM (SELECT m.trial_key, m.evaluation_key, m.model,
        coalesce(CASE WHEN (CASE WHEN json_type(m.costs, $8) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.costs, $9) AS DOUBLE) >= 0 THEN TRY_CAST(json_extract(m.costs, $10) AS DOUBLE) END) IS NULL THEN (CASE WHEN json_type(m.costs, $11) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.costs, $12) AS DOUBLE) >= 0 THEN TRY_CAST(json_extract(m.costs, $13) AS DOUBLE) END) ELSE (CASE WHEN json_type(m.costs, $14) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.costs, $15) AS DOUBLE) >= 0 THEN TRY_CAST(json_extract(m.costs, $16) AS DOUBLE) END) + coalesce((CASE WHEN json_type(m.costs, $17) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.costs, $18) AS DOUBLE) >= 0 THEN TRY_CAST(json_extract(m.costs, $19) AS DOUBLE) END), 0) END, (CASE WHEN json_type(m.usage, $20) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.usage, $21) AS DOUBLE) >= 0 THEN TRY_CAST(json_extract(m.usage, $22) AS DOUBLE) END), (CASE WHEN json_type(m.usage, $23) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.usage, $24) AS DOUBLE) >= 0 THEN TRY_CAST(json_extract(m.usage, $25) AS DOUBLE) END)) AS carried,
        coalesce((CASE WHEN json_type(m.usage, $26) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.usage, $27) AS DOUBLE) >= 0 THEN TRY_CAST(json_extract(m.usage, $28) AS DOUBLE) END), (CASE WHEN json_type(m.usage, $29) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.usage, $30) AS DOUBLE) >= 0 THEN TRY_CAST(json_extract(m.usage, $31) AS DOUBLE) END)) AS input,
        coalesce((CASE WHEN json_type(m.usage, $32) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.usage, $33) AS DOUBLE) >= 0 THEN TRY_CAST(json_extract(m.usage, $34) AS DOUBLE) END), (CASE WHEN json_type(m.usage, $35) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.usage, $36) AS DOUBLE) >= 0 THEN TRY_CAST(json_extract(m.usage, $37) AS DOUBLE) END)) AS output,
        p.input AS input_price, p.output AS output_price
      FROM model_usage AS m LEFT JOIN prices AS p ON p.model = m.model)), trial_costs AS (
  SELECT trial_key, evaluation_key, stated AS cost, true AS carried FROM using_calls WHERE stated IS NOT NULL
  UNION ALL SELECT trial_key, evaluation_key, sum(cost), count(carried) = count(*)
    FROM model_costs GROUP BY ALL HAVING count(cost) = count(*)) SELECT evaluation_key, NULL::VARCHAR, count(*), count(*) FILTER (carried), 0, coalesce(sum(cost), 0) FROM trial_costs GROUP BY evaluation_key UNION ALL SELECT evaluation_key, model, count(*), 0, count(*) FILTER (has_price), 0::HUGEINT FROM model_costs WHERE cost IS NULL GROUP BY evaluation_key, model;
-- $1 DOUBLE 0.9
-- $2 VARCHAR "/cost_usd"
-- $3 VARCHAR "/cost_usd"
-- $4 VARCHAR "/cost_usd"
-- $5 VARCHAR "/cost_usd"
-- $6 VARCHAR "/cost_usd"
-- $7 VARCHAR "/cost_usd"
-- $8 VARCHAR "/prompt_tokens_total_cost"
-- $9 VARCHAR "/prompt_tokens_total_cost"
-- $10 VARCHAR "/prompt_tokens_total_cost"
-- $11 VARCHAR "/completion_tokens_total_cost"
-- $12 VARCHAR "/completion_tokens_total_cost"
-- $13 VARCHAR "/completion_tokens_total_cost"
-- $14 VARCHAR "/prompt_tokens_total_cost"
-- $15 VARCHAR "/prompt_tokens_total_cost"
-- $16 VARCHAR "/prompt_tokens_total_cost"
-- $17 VARCHAR "/completion_tokens_total_cost"
-- $18 VARCHAR "/completion_tokens_total_cost"
-- $19 VARCHAR "/completion_tokens_total_cost"
-- $20 VARCHAR "/cost"
-- $21 VARCHAR "/cost"
-- $22 VARCHAR "/cost"
-- $23 VARCHAR "/total_cost"
-- $24 VARCHAR "/total_cost"
-- $25 VARCHAR "/total_cost"
-- $26 VARCHAR "/prompt_tokens"
-- $27 VARCHAR "/prompt_tokens"
-- $28 VARCHAR "/prompt_tokens"
-- $29 VARCHAR "/input_tokens"
-- $30 VARCHAR "/input_tokens"
-- $31 VARCHAR "/input_tokens"
-- $32 VARCHAR "/completion_tokens"
-- $33 VARCHAR "/completion_tokens"
-- $34 VARCHAR "/completion_tokens"
-- $35 VARCHAR "/output_tokens"
-- $36 VARCHAR "/output_tokens"
-- $37 VARCHAR "/output_tokens"
