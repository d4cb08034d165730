-- What calls tell of steps of agents, each call from itself alone: whose steps they are is worked out when it is asked. One record for each
-- call that names an operation or tells tokens, and for each score call. operation: 0 none, 1 chat, 2 execute_tool, 3 invoke_agent.
-- by_usage: its usage alone tells that it is a chat. action: the first eight bytes of a hash of a tool's name and arguments. place: the
-- place that it states among calls with the same start. untimed: 1 its start means nothing, 2 nor does its end. A hidden call has none.
CREATE TABLE call_steps (
  call_key INTEGER NOT NULL,
  operation UTINYINT NOT NULL,
  by_usage BOOLEAN NOT NULL,
  is_score BOOLEAN NOT NULL,
  error_unknown BOOLEAN NOT NULL,
  untimed UTINYINT NOT NULL,
  action UBIGINT,
  place BIGINT,
  input_tokens BIGINT,
  output_tokens BIGINT,
  cached_tokens BIGINT,
  cost DOUBLE,
  name VARCHAR,
  model VARCHAR,
  finish_reason VARCHAR,
  error_type VARCHAR
);

-- Calls up to this key are yet to be read for their steps.
CREATE TABLE unread_calls AS SELECT max(call_key) AS to_key FROM calls HAVING max(call_key) IS NOT NULL;

ALTER TABLE calls ADD COLUMN parent_id VARCHAR;
UPDATE calls SET parent_id = TRY(record ->> '/parent_id') WHERE parent_hash IS NOT NULL;

-- Why a trial ended, as its call, its predict call or its output says it.
-- DuckDB alters no table with an index; it is made again when the file is opened.
DROP INDEX IF EXISTS trials_by_version_key;
ALTER TABLE trials ADD COLUMN stop_reason VARCHAR;

CREATE TEMP MACRO text_at(document, pointer) AS
  TRY(CASE WHEN json_type(document, pointer) = 'VARCHAR' THEN nullif("left"(document ->> pointer, 200), '') END);
CREATE TEMP TABLE told_reasons AS
SELECT call_key, id_hash, coalesce(
    text_at(record, '/attributes/evalcube.stop_reason'), text_at(record, '/attributes/evalcube/stop_reason')
  ) AS reason
FROM calls WHERE NOT hidden AND contains(record, 'stop_reason');
UPDATE trials SET stop_reason = told.reason FROM (
  SELECT t.trial_key, coalesce(own.reason, predict.reason, text_at(t.output, '/stop_reason')) AS reason
  FROM trials AS t
  JOIN evaluations AS e ON e.evaluation_key = t.evaluation_key
  LEFT JOIN told_reasons AS own ON own.call_key = t.trial_key
  LEFT JOIN told_reasons AS predict ON predict.id_hash = md5_number_lower(concat(e.project_key, ':', t.predict_call_id))
) AS told
WHERE told.trial_key = trials.trial_key AND told.reason IS NOT NULL;
DROP TABLE told_reasons;
DROP MACRO text_at;
