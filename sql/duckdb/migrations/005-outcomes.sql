-- Why a trial has no value at a place. Few trials are in either table.

-- One record a trial that went wrong. own: its own call ended in an exception or has no output; else its
-- predict call ended in one.
CREATE TABLE errored_trials (
  trial_key INTEGER NOT NULL,
  evaluation_key INTEGER NOT NULL,
  row_key INTEGER NOT NULL,
  own BOOLEAN NOT NULL
);

-- One record a JSON null in the scores of a trial. late: from a score call, not the trial.
CREATE TABLE null_scores (
  path_key INTEGER NOT NULL,
  evaluation_key INTEGER NOT NULL,
  row_key INTEGER NOT NULL,
  trial_key INTEGER NOT NULL,
  late BOOLEAN NOT NULL
);

INSERT INTO errored_trials
  SELECT * FROM (
    SELECT t.trial_key, t.evaluation_key, t.row_key,
      coalesce(c.record ->> '/exception', '') <> '' OR coalesce(json_type(c.record, '/output'), 'NULL') = 'NULL' AS own
    FROM trials AS t JOIN calls AS c ON c.call_key = t.trial_key WHERE json_valid(c.record)) WHERE own
  UNION ALL SELECT t.trial_key, t.evaluation_key, t.row_key, false
    FROM trials AS t JOIN evaluations AS e USING (evaluation_key) JOIN calls AS c ON c.call_key = t.trial_key
    JOIN calls AS p ON p.id_hash = md5_number_lower(concat(e.project_key, ':', t.predict_call_id))
      AND p.id = t.predict_call_id AND p.project_key = e.project_key
    WHERE json_valid(p.record) AND coalesce(p.record ->> '/exception', '') <> ''
      AND NOT (json_valid(c.record) AND (coalesce(c.record ->> '/exception', '') <> ''
        OR coalesce(json_type(c.record, '/output'), 'NULL') = 'NULL'));

CREATE TEMP TABLE found_nulls AS
  WITH RECURSIVE walk AS (
    SELECT trial_key, evaluation_key, row_key, false AS late, []::VARCHAR[] AS path, json_extract(output, '/scores') AS value
      FROM trials WHERE contains(output, 'null') AND json_type(output, '/scores') = 'OBJECT'
    UNION ALL SELECT trial_key, evaluation_key, row_key, true, []::VARCHAR[], late_scores::JSON
      FROM trials WHERE contains(late_scores, 'null')
    UNION ALL SELECT trial_key, evaluation_key, row_key, late, list_append(path, name),
      json_extract(value, '/' || replace(replace(name, '~', '~0'), '/', '~1'))
      FROM (SELECT *, unnest(json_keys(value)) AS name FROM walk WHERE json_type(value) = 'OBJECT'))
  SELECT trial_key, evaluation_key, row_key, late, to_json(path)::VARCHAR AS path FROM walk
  WHERE json_type(value) = 'NULL' AND len(path) > 0;

INSERT INTO score_paths (path_key, project_key, path, leaf, container, list)
  SELECT (SELECT coalesce(max(path_key), 0) FROM score_paths) + row_number() OVER (ORDER BY project_key, path),
    project_key, path, false, false, false
  FROM (SELECT DISTINCT e.project_key, n.path FROM found_nulls AS n JOIN evaluations AS e USING (evaluation_key)) AS f
  WHERE NOT EXISTS (FROM score_paths AS s WHERE s.project_key = f.project_key AND s.path = f.path);

INSERT INTO null_scores
  SELECT s.path_key, n.evaluation_key, n.row_key, n.trial_key, n.late FROM found_nulls AS n
  JOIN evaluations AS e USING (evaluation_key)
  JOIN score_paths AS s ON s.project_key = e.project_key AND s.path = n.path;

DROP TABLE found_nulls;
