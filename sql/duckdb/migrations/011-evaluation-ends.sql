-- How the root call of an evaluation ended, for lists of evaluations. ended_at counts microseconds since 1970; exception is null
-- where there is none: an empty text is none.
ALTER TABLE evaluations ADD COLUMN IF NOT EXISTS ended_at BIGINT;
ALTER TABLE evaluations ADD COLUMN IF NOT EXISTS exception VARCHAR;

-- A record as DuckDB reads JSON, which has no half of a surrogate pair alone: the loader makes it U+FFFD. Escaped backslashes
-- and whole pairs are set aside as control characters, which stand in no JSON text.
CREATE OR REPLACE TEMP MACRO readable(record) AS CASE WHEN json_valid(record) THEN record ELSE
  replace(replace(replace(
    regexp_replace(
      regexp_replace(replace(record, '\\', chr(1)),
        '\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})', chr(2) || '\1' || chr(3) || '\2', 'gi'),
      '\\u(d[89a-f][0-9a-f]{2})', '\\ufffd', 'gi'),
    chr(1), '\\'), chr(2), '\u'), chr(3), '\u') END;

-- A member of text: of repeated names the last.
CREATE OR REPLACE TEMP MACRO text_member(record, name) AS
  json_extract(record, '$.*')[1 + len(json_keys(record)) - list_position(list_reverse(json_keys(record)), name)] ->> '$';

-- Microseconds since 1970 of an ISO 8601 time with offset.
CREATE OR REPLACE TEMP MACRO time_parts(written) AS regexp_extract(written,
  '^(.{10}).(\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d\d):?(\d\d))$',
  ['day', 'minute', 'second', 'fraction', 'sign', 'hours', 'minutes']);
CREATE OR REPLACE TEMP MACRO joined_time(p) AS epoch_us(CAST(p.day || ' ' || p.minute || ':00' AS TIMESTAMP))
  + coalesce(TRY_CAST(p.second AS BIGINT), 0) * 1000000 + CAST(rpad(left(p.fraction, 6), 6, '0') AS BIGINT)
  - CASE p.sign WHEN '' THEN 0 WHEN '-' THEN -60000000 ELSE 60000000 END
    * (coalesce(TRY_CAST(p.hours AS BIGINT), 0) * 60 + coalesce(TRY_CAST(p.minutes AS BIGINT), 0));
CREATE OR REPLACE TEMP MACRO instant(written) AS CASE WHEN written IS NOT NULL THEN joined_time(time_parts(written)) END;

CREATE OR REPLACE TEMP TABLE root_calls AS SELECT e.evaluation_key, c.call_key
  FROM evaluations AS e JOIN calls AS c ON c.id_hash = md5_number_lower(concat(e.project_key, ':', e.id))
    AND c.project_key = e.project_key AND c.id = e.id
  WHERE e.started_at IS NOT NULL;
UPDATE evaluations SET ended_at = instant(text_member(r.record, 'ended_at')),
    exception = nullif(text_member(r.record, 'exception'), '')
  FROM (SELECT evaluation_key, readable(record) AS record FROM calls JOIN root_calls USING (call_key)) AS r
  WHERE r.evaluation_key = evaluations.evaluation_key;

DROP TABLE root_calls;
DROP MACRO instant;
DROP MACRO joined_time;
DROP MACRO time_parts;
DROP MACRO text_member;
DROP MACRO readable;
