-- Trials become what they are when their calls are loaded anew: a latency that the output reports may be a number by
-- itself; a trial without a predict call has the first child whose op is its model; no sum of tokens is infinite.
UPDATE trials SET own_latency_seconds = r.latency, latency_seconds = coalesce(latency_seconds, r.latency)
  FROM (SELECT trial_key, TRY_CAST(CAST(json_extract(output, '/model_latency') AS VARCHAR) AS DOUBLE) AS latency FROM trials
    WHERE own_latency_seconds IS NULL AND contains(output, '"model_latency":')
      AND json_type(output, '/model_latency') IN ('DOUBLE', 'BIGINT', 'UBIGINT')) AS r
  WHERE r.trial_key = trials.trial_key AND isfinite(r.latency);
UPDATE trials SET total_tokens = NULL WHERE isinf(total_tokens);
UPDATE trials SET own_total_tokens = NULL WHERE isinf(own_total_tokens);

-- A record as DuckDB reads JSON, which has no half of a surrogate pair alone. Escaped backslashes and whole pairs are
-- set aside as control characters, which stand in no JSON text.
CREATE OR REPLACE TEMP MACRO readable(record) AS CASE WHEN json_valid(record) THEN record ELSE
  replace(replace(replace(
    regexp_replace(
      regexp_replace(replace(record, '\\', chr(1)),
        '\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})', chr(2) || '\1' || chr(3) || '\2', 'gi'),
      '\\u(d[89a-f][0-9a-f]{2})', '\\u0000\1', 'gi'),
    chr(1), '\\'), chr(2), '\u'), chr(3), '\u') END;

-- A member of an object: of repeated names the last.
CREATE OR REPLACE TEMP MACRO member(object, name) AS
  json_extract(object, '$.*')[1 + len(json_keys(object)) - list_position(list_reverse(json_keys(object)), name)];
CREATE OR REPLACE TEMP MACRO text_member(object, name) AS
  CASE WHEN json_type(member(object, name)) = 'VARCHAR' THEN member(object, name) ->> '$' END;

-- The number that a JSON value is.
CREATE OR REPLACE TEMP MACRO plain_number(value) AS
  CASE WHEN json_type(value) IN ('DOUBLE', 'BIGINT', 'UBIGINT') THEN TRY_CAST(CAST(value AS VARCHAR) AS DOUBLE) END;

-- Microseconds since 1970 of an ISO 8601 time with offset.
CREATE OR REPLACE TEMP MACRO time_parts(written) AS regexp_extract(written,
  '^(.{10}).(\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d\d):?(\d\d))$',
  ['day', 'minute', 'second', 'fraction', 'sign', 'hours', 'minutes']);
CREATE OR REPLACE TEMP MACRO joined_time(p) AS epoch_us(CAST(p.day || ' ' || p.minute || ':00' AS TIMESTAMP))
  + coalesce(TRY_CAST(p.second AS BIGINT), 0) * 1000000 + CAST(rpad(left(p.fraction, 6), 6, '0') AS BIGINT)
  - CASE p.sign WHEN '' THEN 0 WHEN '-' THEN -60000000 ELSE 60000000 END
    * (coalesce(TRY_CAST(p.hours AS BIGINT), 0) * 60 + coalesce(TRY_CAST(p.minutes AS BIGINT), 0));
CREATE OR REPLACE TEMP MACRO instant(written) AS CASE WHEN written IS NOT NULL THEN joined_time(time_parts(written)) END;

-- Whether attributes mark a score call; namespaces: those of the conventions.
CREATE OR REPLACE TEMP MACRO is_truthy(mark) AS CASE json_type(mark)
  WHEN 'BOOLEAN' THEN mark = 'true' WHEN 'VARCHAR' THEN (mark ->> '$') <> '' WHEN 'OBJECT' THEN true WHEN 'ARRAY' THEN true
  ELSE coalesce(plain_number(mark) <> 0, false) END;
CREATE OR REPLACE TEMP MACRO is_score(attributes, namespaces) AS
  len(list_filter(namespaces, lambda name:
    coalesce(CAST(member(member(attributes, name), 'score') AS VARCHAR) IN ('true', '"true"'), false))) > 0
  OR is_truthy(member(member(attributes, '_weave_eval_meta'), 'score'));

-- The sum of the numbers `total_tokens` of the members of an object.
CREATE OR REPLACE TEMP MACRO finite_sum(numbers) AS CASE WHEN isfinite(list_sum(numbers)) THEN list_sum(numbers) END;
CREATE OR REPLACE TEMP MACRO sum_tokens(keys, models) AS finite_sum(list_transform(
  list_filter(list_zip(keys, models), lambda named, i: len(keys) - list_position(list_reverse(keys), named[1]) + 1 = i),
  lambda named: plain_number(member(named[2], 'total_tokens'))));

-- By narrow columns the children of trials without a predict call; of these, where the model of the trial is a text, those
-- whose op it is. Records are read while they are scanned: joined with more than keys, they would be held.
CREATE TEMP TABLE lone_children AS
  SELECT t.trial_key, c.call_key AS child_key
  FROM trials AS t JOIN calls AS p ON p.call_key = t.trial_key
    JOIN calls AS c ON c.parent_hash = p.id_hash AND c.project_key = p.project_key
  WHERE t.predict_call_id IS NULL AND NOT c.hidden;
CREATE TEMP TABLE models AS
  SELECT call_key AS trial_key, text_member(record, 'id') AS id, text_member(member(record, 'inputs'), 'model') AS model
  FROM (SELECT call_key, readable(record) AS record FROM calls WHERE call_key IN (SELECT trial_key FROM lone_children));
CREATE TEMP TABLE ops AS
  SELECT call_key AS child_key, text_member(record, 'parent_id') AS parent_id, text_member(record, 'op_name') AS op
  FROM (SELECT call_key, readable(record) AS record FROM calls WHERE call_key IN
    (SELECT child_key FROM lone_children JOIN models USING (trial_key) WHERE model IS NOT NULL));
CREATE TEMP TABLE plain_children AS
  SELECT l.* FROM lone_children AS l JOIN models AS m ON m.trial_key = l.trial_key
    JOIN ops AS o ON o.child_key = l.child_key AND o.op = m.model AND o.parent_id = m.id;

CREATE TEMP TABLE plain_calls AS
  SELECT child_key, id, instant(started_at) AS started, instant(ended_at) AS ended, coalesce(exception, '') <> '' AS failed,
    sum_tokens(json_keys(usage), json_extract(usage, '$.*')) AS tokens,
    is_score(attributes, (SELECT from_json(attribute_namespaces, '["VARCHAR"]') FROM conventions)) AS score
  FROM (SELECT call_key AS child_key, id, text_member(record, 'started_at') AS started_at,
      text_member(record, 'ended_at') AS ended_at, text_member(record, 'exception') AS exception,
      member(record, 'attributes') AS attributes, member(member(record, 'summary'), 'usage') AS usage
    FROM (SELECT call_key, id, readable(record) AS record FROM calls WHERE call_key IN (SELECT child_key FROM plain_children)));
CREATE TEMP TABLE plain_predicts AS
  SELECT trial_key, id, failed, tokens, CAST(ended - started AS DOUBLE) / 1e6 AS seconds
  FROM plain_children JOIN plain_calls USING (child_key) WHERE started IS NOT NULL AND NOT score
  QUALIFY row_number() OVER (PARTITION BY trial_key ORDER BY started, id) = 1;

UPDATE trials SET predict_call_id = p.id, total_tokens = p.tokens, latency_seconds = coalesce(p.seconds, own_latency_seconds)
  FROM plain_predicts AS p WHERE p.trial_key = trials.trial_key;
INSERT INTO errored_trials
  SELECT t.trial_key, t.evaluation_key, t.row_key, false FROM trials AS t JOIN plain_predicts AS p USING (trial_key)
  WHERE p.failed AND NOT EXISTS (FROM errored_trials AS e WHERE e.trial_key = t.trial_key);

DROP TABLE plain_predicts;
DROP TABLE plain_calls;
DROP TABLE plain_children;
DROP TABLE ops;
DROP TABLE models;
DROP TABLE lone_children;
DROP MACRO sum_tokens;
DROP MACRO finite_sum;
DROP MACRO is_score;
DROP MACRO is_truthy;
DROP MACRO instant;
DROP MACRO joined_time;
DROP MACRO time_parts;
DROP MACRO plain_number;
DROP MACRO text_member;
DROP MACRO member;
DROP MACRO readable;
