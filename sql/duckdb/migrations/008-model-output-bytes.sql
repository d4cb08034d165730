-- How many bytes the value of the member `output` has in the column output: where that begins with this member, and
-- has its value letter by letter as json_extract gives it; null elsewhere, and where the value is null.
DROP INDEX IF EXISTS trials_by_row;
ALTER TABLE trials ADD COLUMN IF NOT EXISTS model_output_bytes INTEGER;
UPDATE trials SET model_output_bytes = strlen(v.value)
  FROM (SELECT trial_key, TRY(CAST(json_extract(output, '/output') AS VARCHAR)) AS value FROM trials) AS v
  WHERE v.trial_key = trials.trial_key AND v.value <> 'null' AND starts_with(output, '{"output":' || v.value);
CREATE INDEX IF NOT EXISTS trials_by_row ON trials (row_key);
