WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)), given_prices(model, input, output) AS (VALUES ($2, $3, $4)), own_prices AS (SELECT * FROM model_prices
      WHERE project_id = $5 AND model NOT IN (SELECT model FROM given_prices)), prices AS (SELECT *, lead(since, 1, 4611686018427387904) OVER (PARTITION BY model ORDER BY since) AS until FROM (
      SELECT model, 1e6::DOUBLE AS unit, input AS prompt, output AS completion, 0::DOUBLE AS cache_read,
        0::DOUBLE AS cache_creation, -4611686018427387904 AS since FROM given_prices
      UNION ALL SELECT model, 1::DOUBLE AS unit, arg_max("prompt", (effective_date, created_at, id)) AS "prompt", arg_max("completion", (effective_date, created_at, id)) AS "completion", arg_max("cache_read", (effective_date, created_at, id)) AS "cache_read", arg_max("cache_creation", (effective_date, created_at, id)) AS "cache_creation", since
      FROM (SELECT *, effective_date AS since FROM own_prices UNION ALL SELECT *, -4611686018427387904 AS since FROM own_prices)
      GROUP BY model, since)), using_calls AS MATERIALIZED (SELECT t.trial_key, t.evaluation_key, t.stated,
      CASE WHEN t.predict_call_id IS NULL THEN t.trial_key ELSE p.call_key END AS call_key
    FROM (SELECT t.trial_key AS trial_key, t.evaluation_key AS evaluation_key, t.predict_call_id AS predict_call_id,
        (CASE WHEN json_type(t.output, $6) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(t.output, $7) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(t.output, $8) AS DOUBLE)) THEN TRY_CAST(json_extract(t.output, $9) AS DOUBLE) END) AS stated
      FROM trials AS t JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE t.evaluation_key IN (1, 2)) AS t
    LEFT JOIN calls AS p ON p.id_hash = md5_number_lower(concat(1, ':', t.predict_call_id))
      AND p.id = t.predict_call_id AND p.project_key = 1 AND NOT p.hidden), call_usage AS (
  SELECT u.trial_key, u.evaluation_key, u.stated, coalesce(c.started_at, -4611686018427387904) AS start, TRY(json_extract(c.record, $10)) AS usage,
    TRY(json_extract(c.record, $11)) AS costs, TRY(json_extract(c.record, $12)) AS told
  FROM using_calls AS u LEFT JOIN calls AS c ON c.call_key = u.call_key), model_usage AS (
  SELECT trial_key, evaluation_key, start, model, json_extract(usage, '/' || replace(replace(model, '~', '~0'), '/', '~1')) AS usage,
    json_extract(costs, '/' || replace(replace(model, '~', '~0'), '/', '~1')) AS costs, json_extract(told, '/' || replace(replace(model, '~', '~0'), '/', '~1')) AS told
  FROM (SELECT trial_key, evaluation_key, start, usage, costs, told,
      unnest(list_distinct(list_concat(
      CASE WHEN json_type(usage) = 'OBJECT' THEN json_keys(usage) ELSE [] END,
      CASE WHEN json_type(costs) = 'OBJECT' THEN json_keys(costs) ELSE [] END,
      CASE WHEN json_type(told) = 'OBJECT' THEN json_keys(told) ELSE [] END))) AS model
    FROM call_usage WHERE stated IS NULL)), model_costs AS MATERIALIZED (
    SELECT trial_key, evaluation_key, model, carried, has_price, CASE WHEN cost < 1e300 THEN cost END AS cost
    FROM (SELECT *, coalesce(carried, priced) AS cost FROM (SELECT m.trial_key, m.evaluation_key, m.model,
        p.unit IS NOT NULL AS has_price, coalesce(CASE WHEN coalesce((CASE WHEN json_type(m.costs, $13) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.costs, $14) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(m.costs, $15) AS DOUBLE)) THEN TRY_CAST(json_extract(m.costs, $16) AS DOUBLE) END), (CASE WHEN json_type(m.costs, $17) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.costs, $18) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(m.costs, $19) AS DOUBLE)) THEN TRY_CAST(json_extract(m.costs, $20) AS DOUBLE) END), (CASE WHEN json_type(m.costs, $21) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.costs, $22) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(m.costs, $23) AS DOUBLE)) THEN TRY_CAST(json_extract(m.costs, $24) AS DOUBLE) END), (CASE WHEN json_type(m.costs, $25) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.costs, $26) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(m.costs, $27) AS DOUBLE)) THEN TRY_CAST(json_extract(m.costs, $28) AS DOUBLE) END)) IS NOT NULL THEN coalesce((CASE WHEN json_type(m.costs, $29) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.costs, $30) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(m.costs, $31) AS DOUBLE)) THEN TRY_CAST(json_extract(m.costs, $32) AS DOUBLE) END), 0) + coalesce((CASE WHEN json_type(m.costs, $33) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.costs, $34) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(m.costs, $35) AS DOUBLE)) THEN TRY_CAST(json_extract(m.costs, $36) AS DOUBLE) END), 0) + coalesce((CASE WHEN json_type(m.costs, $37) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.costs, $38) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(m.costs, $39) AS DOUBLE)) THEN TRY_CAST(json_extract(m.costs, $40) AS DOUBLE) END), 0) + coalesce((CASE WHEN json_type(m.costs, $41) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.costs, $42) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(m.costs, $43) AS DOUBLE)) THEN TRY_CAST(json_extract(m.costs, $44) AS DOUBLE) END), 0) END, CASE WHEN coalesce((CASE WHEN json_type(m.told, $45) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.told, $46) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(m.told, $47) AS DOUBLE)) THEN TRY_CAST(json_extract(m.told, $48) AS DOUBLE) END), (CASE WHEN json_type(m.told, $49) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.told, $50) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(m.told, $51) AS DOUBLE)) THEN TRY_CAST(json_extract(m.told, $52) AS DOUBLE) END), (CASE WHEN json_type(m.told, $53) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.told, $54) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(m.told, $55) AS DOUBLE)) THEN TRY_CAST(json_extract(m.told, $56) AS DOUBLE) END), (CASE WHEN json_type(m.told, $57) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.told, $58) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(m.told, $59) AS DOUBLE)) THEN TRY_CAST(json_extract(m.told, $60) AS DOUBLE) END)) IS NOT NULL THEN coalesce((CASE WHEN json_type(m.told, $61) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.told, $62) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(m.told, $63) AS DOUBLE)) THEN TRY_CAST(json_extract(m.told, $64) AS DOUBLE) END), 0) + coalesce((CASE WHEN json_type(m.told, $65) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.told, $66) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(m.told, $67) AS DOUBLE)) THEN TRY_CAST(json_extract(m.told, $68) AS DOUBLE) END), 0) + coalesce((CASE WHEN json_type(m.told, $69) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.told, $70) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(m.told, $71) AS DOUBLE)) THEN TRY_CAST(json_extract(m.told, $72) AS DOUBLE) END), 0) + coalesce((CASE WHEN json_type(m.told, $73) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.told, $74) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(m.told, $75) AS DOUBLE)) THEN TRY_CAST(json_extract(m.told, $76) AS DOUBLE) END), 0) END, (CASE WHEN json_type(m.usage, $77) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.usage, $78) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(m.usage, $79) AS DOUBLE)) THEN TRY_CAST(json_extract(m.usage, $80) AS DOUBLE) END), (CASE WHEN json_type(m.usage, $81) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.usage, $82) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(m.usage, $83) AS DOUBLE)) THEN TRY_CAST(json_extract(m.usage, $84) AS DOUBLE) END)) AS carried,
        (coalesce((CASE WHEN json_type(m.usage, $85) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.usage, $86) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(m.usage, $87) AS DOUBLE)) THEN TRY_CAST(json_extract(m.usage, $88) AS DOUBLE) END), (CASE WHEN json_type(m.usage, $89) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.usage, $90) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(m.usage, $91) AS DOUBLE)) THEN TRY_CAST(json_extract(m.usage, $92) AS DOUBLE) END)) * p.prompt
          + coalesce((CASE WHEN json_type(m.usage, $93) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.usage, $94) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(m.usage, $95) AS DOUBLE)) THEN TRY_CAST(json_extract(m.usage, $96) AS DOUBLE) END), (CASE WHEN json_type(m.usage, $97) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.usage, $98) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(m.usage, $99) AS DOUBLE)) THEN TRY_CAST(json_extract(m.usage, $100) AS DOUBLE) END)) * p.completion
          + CASE WHEN p."cache_read" > 0 THEN coalesce((CASE WHEN json_type(m.usage, $101) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.usage, $102) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(m.usage, $103) AS DOUBLE)) THEN TRY_CAST(json_extract(m.usage, $104) AS DOUBLE) END), 0) * p."cache_read" ELSE 0 END + CASE WHEN p."cache_creation" > 0 THEN coalesce((CASE WHEN json_type(m.usage, $105) IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST(json_extract(m.usage, $106) AS DOUBLE) >= 0 AND isfinite(TRY_CAST(json_extract(m.usage, $107) AS DOUBLE)) THEN TRY_CAST(json_extract(m.usage, $108) AS DOUBLE) END), 0) * p."cache_creation" ELSE 0 END) / p.unit AS priced
      FROM model_usage AS m LEFT JOIN prices AS p ON p.model = m.model AND m.start >= p.since AND m.start < p.until))), trial_costs AS (
  SELECT trial_key, evaluation_key, stated AS cost, true AS carried FROM using_calls WHERE stated IS NOT NULL
  UNION ALL SELECT trial_key, evaluation_key, coalesce(list_transform([CASE WHEN CAST(floor(log2(max(nullif(abs(cost), 0)))) AS INTEGER) + 2 - (CAST(floor(log2(min(nullif(abs(cost), 0)))) AS INTEGER) - 53) + log2(1 + count(cost)) < 126 THEN CAST(floor(log2(min(nullif(abs(cost), 0)))) AS INTEGER) - 53 END], lambda "unit": nearest_double(list_transform([[pow(2, (-unit) // 2), pow(2, (-unit) - (-unit) // 2)]], lambda "scale": list_sum(list_transform(list(cost), lambda x: CAST(x * ("scale")[1] * ("scale")[2] AS HUGEINT))))[1]) * ([pow(2, ("unit") // 2), pow(2, ("unit") - ("unit") // 2)])[1] * ([pow(2, ("unit") // 2), pow(2, ("unit") - ("unit") // 2)])[2])[1],
    list_transform([CAST(floor(log2(min(nullif(abs(cost), 0)))) AS INTEGER) - 53], lambda "unit": list_transform([list_reduce(list_transform([0::HUGEINT, 0] || list_transform(list_transform(range((CAST(floor(log2(max(nullif(abs(cost), 0)))) AS INTEGER) + 2 - (CAST(floor(log2(min(nullif(abs(cost), 0)))) AS INTEGER) - 53)) // 60 + 1), lambda place: [pow(2, (-"unit" - 60 * place) // 2), pow(2, (-"unit" - 60 * place) - (-"unit" - 60 * place) // 2)]), lambda scale: list_sum(list_transform(
      list_transform(list(cost), lambda x: x * (scale)[1] * (scale)[2]), lambda y: CASE WHEN abs(y) < pow(2, 114)
      THEN CAST(trunc(y) - trunc(y / pow(2, 60)) * pow(2, 60) AS BIGINT) ELSE 0 END))) || [0, 0, 0], lambda digit: [digit]),
      lambda done, next: [next[1] + (done[1] >> 60)] || [done[1] & 1152921504606846975] || done[2:])], lambda "digits": list_transform([1 + coalesce(list_position(list_transform(digits[2:],
      lambda digit: digit <> CASE digits[1] WHEN 0 THEN 0 ELSE 1152921504606846975 END), true), 1)], lambda "place": nearest_double(((digits[1] * 1152921504606846976 + digits[place]) * 1152921504606846976 + digits[place + 1])
        | CASE WHEN list_max(digits[place + 2:]) > 0 THEN 1 ELSE 0 END) * ([pow(2, ("unit" + 60 * (len("digits") - "place" - 3)) // 2), pow(2, ("unit" + 60 * (len("digits") - "place" - 3)) - ("unit" + 60 * (len("digits") - "place" - 3)) // 2)])[1] * ([pow(2, ("unit" + 60 * (len("digits") - "place" - 3)) // 2), pow(2, ("unit" + 60 * (len("digits") - "place" - 3)) - ("unit" + 60 * (len("digits") - "place" - 3)) // 2)])[2])[1])[1])[1], sum(cost)), count(carried) = count(*)
    FROM model_costs GROUP BY ALL HAVING count(cost) = count(*)) SELECT evaluation_key, NULL::VARCHAR, count(*), count(*) FILTER (carried), 0, coalesce(coalesce(list_transform([CASE WHEN CAST(floor(log2(max(nullif(abs(cost), 0)))) AS INTEGER) + 2 - (CAST(floor(log2(min(nullif(abs(cost), 0)))) AS INTEGER) - 53) + log2(1 + count(cost)) < 126 THEN CAST(floor(log2(min(nullif(abs(cost), 0)))) AS INTEGER) - 53 END], lambda "unit": nearest_double(list_transform([[pow(2, (-unit) // 2), pow(2, (-unit) - (-unit) // 2)]], lambda "scale": list_sum(list_transform(list(cost), lambda x: CAST(x * ("scale")[1] * ("scale")[2] AS HUGEINT))))[1]) * ([pow(2, ("unit") // 2), pow(2, ("unit") - ("unit") // 2)])[1] * ([pow(2, ("unit") // 2), pow(2, ("unit") - ("unit") // 2)])[2])[1],
    list_transform([CAST(floor(log2(min(nullif(abs(cost), 0)))) AS INTEGER) - 53], lambda "unit": list_transform([list_reduce(list_transform([0::HUGEINT, 0] || list_transform(list_transform(range((CAST(floor(log2(max(nullif(abs(cost), 0)))) AS INTEGER) + 2 - (CAST(floor(log2(min(nullif(abs(cost), 0)))) AS INTEGER) - 53)) // 60 + 1), lambda place: [pow(2, (-"unit" - 60 * place) // 2), pow(2, (-"unit" - 60 * place) - (-"unit" - 60 * place) // 2)]), lambda scale: list_sum(list_transform(
      list_transform(list(cost), lambda x: x * (scale)[1] * (scale)[2]), lambda y: CASE WHEN abs(y) < pow(2, 114)
      THEN CAST(trunc(y) - trunc(y / pow(2, 60)) * pow(2, 60) AS BIGINT) ELSE 0 END))) || [0, 0, 0], lambda digit: [digit]),
      lambda done, next: [next[1] + (done[1] >> 60)] || [done[1] & 1152921504606846975] || done[2:])], lambda "digits": list_transform([1 + coalesce(list_position(list_transform(digits[2:],
      lambda digit: digit <> CASE digits[1] WHEN 0 THEN 0 ELSE 1152921504606846975 END), true), 1)], lambda "place": nearest_double(((digits[1] * 1152921504606846976 + digits[place]) * 1152921504606846976 + digits[place + 1])
        | CASE WHEN list_max(digits[place + 2:]) > 0 THEN 1 ELSE 0 END) * ([pow(2, ("unit" + 60 * (len("digits") - "place" - 3)) // 2), pow(2, ("unit" + 60 * (len("digits") - "place" - 3)) - ("unit" + 60 * (len("digits") - "place" - 3)) // 2)])[1] * ([pow(2, ("unit" + 60 * (len("digits") - "place" - 3)) // 2), pow(2, ("unit" + 60 * (len("digits") - "place" - 3)) - ("unit" + 60 * (len("digits") - "place" - 3)) // 2)])[2])[1])[1])[1], sum(cost)), 0) FROM trial_costs GROUP BY evaluation_key UNION ALL SELECT evaluation_key, model, count(*), 0, count(*) FILTER (has_price), 0::DOUBLE FROM model_costs WHERE cost IS NULL GROUP BY evaluation_key, model;
-- $1 DOUBLE 0.9
-- $2 VARCHAR "small"
-- $3 DOUBLE 2.5
-- $4 DOUBLE 10
-- $5 VARCHAR "acme/qa"
-- $6 VARCHAR "/cost_usd"
-- $7 VARCHAR "/cost_usd"
-- $8 VARCHAR "/cost_usd"
-- $9 VARCHAR "/cost_usd"
-- $10 VARCHAR "/summary/usage"
-- $11 VARCHAR "/summary/weave/costs"
-- $12 VARCHAR "/summary/costs"
-- $13 VARCHAR "/prompt_tokens_total_cost"
-- $14 VARCHAR "/prompt_tokens_total_cost"
-- $15 VARCHAR "/prompt_tokens_total_cost"
-- $16 VARCHAR "/prompt_tokens_total_cost"
-- $17 VARCHAR "/completion_tokens_total_cost"
-- $18 VARCHAR "/completion_tokens_total_cost"
-- $19 VARCHAR "/completion_tokens_total_cost"
-- $20 VARCHAR "/completion_tokens_total_cost"
-- $21 VARCHAR "/cache_read_input_tokens_total_cost"
-- $22 VARCHAR "/cache_read_input_tokens_total_cost"
-- $23 VARCHAR "/cache_read_input_tokens_total_cost"
-- $24 VARCHAR "/cache_read_input_tokens_total_cost"
-- $25 VARCHAR "/cache_creation_input_tokens_total_cost"
-- $26 VARCHAR "/cache_creation_input_tokens_total_cost"
-- $27 VARCHAR "/cache_creation_input_tokens_total_cost"
-- $28 VARCHAR "/cache_creation_input_tokens_total_cost"
-- $29 VARCHAR "/prompt_tokens_total_cost"
-- $30 VARCHAR "/prompt_tokens_total_cost"
-- $31 VARCHAR "/prompt_tokens_total_cost"
-- $32 VARCHAR "/prompt_tokens_total_cost"
-- $33 VARCHAR "/completion_tokens_total_cost"
-- $34 VARCHAR "/completion_tokens_total_cost"
-- $35 VARCHAR "/completion_tokens_total_cost"
-- $36 VARCHAR "/completion_tokens_total_cost"
-- $37 VARCHAR "/cache_read_input_tokens_total_cost"
-- $38 VARCHAR "/cache_read_input_tokens_total_cost"
-- $39 VARCHAR "/cache_read_input_tokens_total_cost"
-- $40 VARCHAR "/cache_read_input_tokens_total_cost"
-- $41 VARCHAR "/cache_creation_input_tokens_total_cost"
-- $42 VARCHAR "/cache_creation_input_tokens_total_cost"
-- $43 VARCHAR "/cache_creation_input_tokens_total_cost"
-- $44 VARCHAR "/cache_creation_input_tokens_total_cost"
-- $45 VARCHAR "/prompt_tokens_total_cost"
-- $46 VARCHAR "/prompt_tokens_total_cost"
-- $47 VARCHAR "/prompt_tokens_total_cost"
-- $48 VARCHAR "/prompt_tokens_total_cost"
-- $49 VARCHAR "/completion_tokens_total_cost"
-- $50 VARCHAR "/completion_tokens_total_cost"
-- $51 VARCHAR "/completion_tokens_total_cost"
-- $52 VARCHAR "/completion_tokens_total_cost"
-- $53 VARCHAR "/cache_read_input_tokens_total_cost"
-- $54 VARCHAR "/cache_read_input_tokens_total_cost"
-- $55 VARCHAR "/cache_read_input_tokens_total_cost"
-- $56 VARCHAR "/cache_read_input_tokens_total_cost"
-- $57 VARCHAR "/cache_creation_input_tokens_total_cost"
-- $58 VARCHAR "/cache_creation_input_tokens_total_cost"
-- $59 VARCHAR "/cache_creation_input_tokens_total_cost"
-- $60 VARCHAR "/cache_creation_input_tokens_total_cost"
-- $61 VARCHAR "/prompt_tokens_total_cost"
-- $62 VARCHAR "/prompt_tokens_total_cost"
-- $63 VARCHAR "/prompt_tokens_total_cost"
-- $64 VARCHAR "/prompt_tokens_total_cost"
-- $65 VARCHAR "/completion_tokens_total_cost"
-- $66 VARCHAR "/completion_tokens_total_cost"
-- $67 VARCHAR "/completion_tokens_total_cost"
-- $68 VARCHAR "/completion_tokens_total_cost"
-- $69 VARCHAR "/cache_read_input_tokens_total_cost"
-- $70 VARCHAR "/cache_read_input_tokens_total_cost"
-- $71 VARCHAR "/cache_read_input_tokens_total_cost"
-- $72 VARCHAR "/cache_read_input_tokens_total_cost"
-- $73 VARCHAR "/cache_creation_input_tokens_total_cost"
-- $74 VARCHAR "/cache_creation_input_tokens_total_cost"
-- $75 VARCHAR "/cache_creation_input_tokens_total_cost"
-- $76 VARCHAR "/cache_creation_input_tokens_total_cost"
-- $77 VARCHAR "/cost"
-- $78 VARCHAR "/cost"
-- $79 VARCHAR "/cost"
-- $80 VARCHAR "/cost"
-- $81 VARCHAR "/total_cost"
-- $82 VARCHAR "/total_cost"
-- $83 VARCHAR "/total_cost"
-- $84 VARCHAR "/total_cost"
-- $85 VARCHAR "/prompt_tokens"
-- $86 VARCHAR "/prompt_tokens"
-- $87 VARCHAR "/prompt_tokens"
-- $88 VARCHAR "/prompt_tokens"
-- $89 VARCHAR "/input_tokens"
-- $90 VARCHAR "/input_tokens"
-- $91 VARCHAR "/input_tokens"
-- $92 VARCHAR "/input_tokens"
-- $93 VARCHAR "/completion_tokens"
-- $94 VARCHAR "/completion_tokens"
-- $95 VARCHAR "/completion_tokens"
-- $96 VARCHAR "/completion_tokens"
-- $97 VARCHAR "/output_tokens"
-- $98 VARCHAR "/output_tokens"
-- $99 VARCHAR "/output_tokens"
-- $100 VARCHAR "/output_tokens"
-- $101 VARCHAR "/cache_read_input_tokens"
-- $102 VARCHAR "/cache_read_input_tokens"
-- $103 VARCHAR "/cache_read_input_tokens"
-- $104 VARCHAR "/cache_read_input_tokens"
-- $105 VARCHAR "/cache_creation_input_tokens"
-- $106 VARCHAR "/cache_creation_input_tokens"
-- $107 VARCHAR "/cache_creation_input_tokens"
-- $108 VARCHAR "/cache_creation_input_tokens"
