-- How the root call of an evaluation ended, for lists of evaluations. ended_at counts microseconds since 1970; exception is null
-- where there is none.
ALTER TABLE evaluations ADD COLUMN IF NOT EXISTS ended_at BIGINT;
ALTER TABLE evaluations ADD COLUMN IF NOT EXISTS exception VARCHAR;

UPDATE evaluations SET ended_at = r.ended_at, exception = r.exception
  FROM (SELECT e.evaluation_key, c.ended_at, c.exception
    FROM evaluations AS e JOIN calls AS c ON c.id_hash = md5_number_lower(concat(e.project_key, ':', e.id))
      AND c.project_key = e.project_key AND c.id = e.id
    WHERE e.started_at IS NOT NULL) AS r
  WHERE r.evaluation_key = evaluations.evaluation_key;
