-- The tables of a database file, by capability: evaluations, feedback, training, usage, and what tracing tools send besides.
--
-- Keys are dense integers that the writer hands out: integers keep grouping, joining and filtering narrow, and texts are read for the
-- rows of a page only. Times count microseconds since 1970. A column that holds JSON holds its text.
--
-- No table here has an index: replaying a log on a table with one loses deletes and updates (docs/duckdb-reports.md). Keys are stored in
-- order, and DuckDB skips by their minima and maxima. The one index, on trials.version_key, is made when the file is opened
-- (src/duckdb/file/trial-index.ts). DuckDB alters no table with an index, so a migration that alters trials drops it first.

-- Evaluations ---------------------------------------------------------------------------------------------------------------------

-- What the calls of this database were read by (JSON lists of names); see Conventions.
CREATE TABLE conventions (
  predict_and_score_ops VARCHAR NOT NULL,
  attribute_namespaces VARCHAR NOT NULL
);

CREATE TABLE projects (
  project_key INTEGER NOT NULL,
  project_id VARCHAR NOT NULL
);

-- One record a call identity, as it was sent (merged). id_hash and parent_hash are
-- md5_number_lower(project_key || ':' || id): a candidate, to be confirmed by the id.
-- The last four columns are what statements ask of all calls, so that they need not read each record; exception is null where there is
-- none: an empty text is none.
CREATE TABLE calls (
  call_key INTEGER NOT NULL,
  project_key INTEGER NOT NULL,
  id_hash UBIGINT NOT NULL,
  parent_hash UBIGINT,
  hidden BOOLEAN NOT NULL,
  id VARCHAR NOT NULL USING COMPRESSION uncompressed,
  record VARCHAR NOT NULL USING COMPRESSION zstd,
  op_name VARCHAR,
  started_at BIGINT,
  ended_at BIGINT,
  exception VARCHAR
);

-- Where the display name of a call comes from: 1 its end, 2 a later renaming; no record: anything else. A call may end or be renamed
-- before its start arrives; it then has a record in calls, without op_name and started_at.
CREATE TABLE named_calls (
  call_key INTEGER NOT NULL,
  name_rank UTINYINT NOT NULL
);

-- One record a parent of a predict-and-score call, and a root that names itself an evaluation.
-- What comes from the root is null until it arrives. ended_at, exception: how the root call ended; exception is null where there is none.
-- import_file: what the imported file is called. attributes: JSON text.
CREATE TABLE evaluations (
  evaluation_key INTEGER NOT NULL,
  project_key INTEGER NOT NULL,
  id VARCHAR NOT NULL,
  has_root BOOLEAN NOT NULL,
  hidden BOOLEAN NOT NULL,
  evaluation_ref VARCHAR,
  model_ref VARCHAR,
  dataset_ref VARCHAR,
  display_name VARCHAR,
  trace_id VARCHAR,
  started_at BIGINT,
  ended_at BIGINT,
  exception VARCHAR,
  code_commit VARCHAR,
  code_branch VARCHAR,
  import_file VARCHAR,
  attributes VARCHAR
);

-- val: the stored dataset row (JSON). inline_example: the row as the first inline trial spelled it (JSON).
-- referenced: some trial refers to the row. respelled: some inline trial spells it, or of a
-- row with a key holds, otherwise. A row that is only what trials.content_key names has a
-- digest and nothing else.
CREATE TABLE rows (
  row_key INTEGER NOT NULL,
  project_key INTEGER NOT NULL,
  digest_hash UBIGINT NOT NULL,
  referenced BOOLEAN NOT NULL,
  respelled BOOLEAN NOT NULL,
  digest VARCHAR NOT NULL,
  val VARCHAR,
  inline_example VARCHAR
);

-- One record a predict-and-score call; trial_key is its call_key.
-- content_key: of a row with a key, the row whose digest is that of what this trial was asked; null where the row has no key.
-- output: the call's whole output object (compact JSON), null where it is none.
-- reference_prefix: what stands before the digest in a dataset-row reference; null on an inline trial.
-- example: the inline example where it is not spelled as rows.inline_example.
-- model_output_bytes: how many bytes the value of the member `output` has in the column output: where that begins with this member, and
-- has its value letter by letter as json_extract gives it; null elsewhere, and where the value is null.
-- version_key: a key of its own for each record, by which the index finds it. A trial that changes is stored anew, under another key. Keys
-- are dense, which keeps the index small. Only statements that name them use the index.
-- span_refs: the spans that the predict call names, or the trial's own call: a JSON list of {"span_id", "trace_id"}. own_span_refs: those
-- that its own call names.
CREATE TABLE trials (
  trial_key INTEGER NOT NULL,
  evaluation_key INTEGER NOT NULL,
  row_key INTEGER NOT NULL,
  started_at BIGINT NOT NULL,
  latency_seconds DOUBLE,
  total_tokens DOUBLE,
  own_latency_seconds DOUBLE,
  own_total_tokens DOUBLE,
  id VARCHAR NOT NULL USING COMPRESSION uncompressed,
  predict_call_id VARCHAR USING COMPRESSION uncompressed,
  scorer_call_ids VARCHAR USING COMPRESSION uncompressed,
  output VARCHAR USING COMPRESSION uncompressed,
  late_scores VARCHAR,
  reference_prefix VARCHAR,
  example VARCHAR,
  model_output_bytes INTEGER,
  version_key BIGINT,
  span_refs VARCHAR,
  own_span_refs VARCHAR,
  content_key INTEGER
);

-- Every place in the scores of a project. path: a JSON array of member names, the scorer key first.
-- leaf, container, list: some trial has there a boolean, number or text; an object or list; a list.
-- Binary exponents of the non-zero numbers: of the largest, of the smallest, of the lowest bit set.
CREATE TABLE score_paths (
  path_key INTEGER NOT NULL,
  project_key INTEGER NOT NULL,
  path VARCHAR NOT NULL,
  leaf BOOLEAN NOT NULL,
  container BOOLEAN NOT NULL,
  list BOOLEAN NOT NULL,
  max_exponent INTEGER,
  min_exponent INTEGER,
  low_bit INTEGER
);

-- One record a score leaf. kind: 0 number, 1 boolean, 2 text. number: the numeric reading of any kind.
-- text: of a text, and of an integer that a double cannot hold. late: from a score call, not the trial.
CREATE TABLE scores (
  path_key INTEGER NOT NULL,
  evaluation_key INTEGER NOT NULL,
  row_key INTEGER NOT NULL,
  trial_key INTEGER NOT NULL,
  kind UTINYINT NOT NULL,
  late BOOLEAN NOT NULL,
  number DOUBLE,
  text VARCHAR
);

-- Why a trial has no value at a place: this table and the next, which few trials are in.
-- One record a JSON null in the scores of a trial. late: from a score call, not the trial.
CREATE TABLE null_scores (
  path_key INTEGER NOT NULL,
  evaluation_key INTEGER NOT NULL,
  row_key INTEGER NOT NULL,
  trial_key INTEGER NOT NULL,
  late BOOLEAN NOT NULL
);

-- One record a trial that went wrong. own: its own call ended in an exception or has no output; else its predict call ended in one.
CREATE TABLE errored_trials (
  trial_key INTEGER NOT NULL,
  evaluation_key INTEGER NOT NULL,
  row_key INTEGER NOT NULL,
  own BOOLEAN NOT NULL
);

-- What the writer need not look for among the calls: the layers of its hash filters (src/ingest/lookup).
-- kind: 0 hashes of calls, 1 hashes of their parents.
CREATE TABLE hash_layers (
  kind INTEGER NOT NULL,
  layer INTEGER NOT NULL,
  capacity INTEGER NOT NULL,
  used INTEGER NOT NULL,
  words BLOB NOT NULL
);

-- One record, none before filters were stored. They have every call up to to_key; layers counts hash_layers.
CREATE TABLE hash_coverage (
  to_key INTEGER NOT NULL,
  layers INTEGER NOT NULL
);

-- Parents that replaced others of a call after the filters were stored.
CREATE TABLE moved_parents (
  parent_hash UBIGINT NOT NULL
);

-- Feedback ------------------------------------------------------------------------------------------------------------------------

-- Feedback as it was sent. Ids are per project.
-- content: JSON of every member that was sent, payload included, without nulls and without the id.
CREATE TABLE feedback (
  project_id VARCHAR NOT NULL,
  id VARCHAR NOT NULL,
  created_at BIGINT NOT NULL,
  svc_user_id VARCHAR NOT NULL,
  svc_ref VARCHAR NOT NULL,
  feedback_type VARCHAR NOT NULL,
  content VARCHAR NOT NULL
);

-- Training: ids of jobs, models, checkpoints and events are uuids in lower case ------------------------------------------------------

-- One record a job; request: the text as it was sent.
CREATE TABLE training_jobs (
  id VARCHAR NOT NULL,
  model_id VARCHAR NOT NULL,
  created_at BIGINT NOT NULL,
  project_id VARCHAR,
  user_id VARCHAR,
  request VARCHAR NOT NULL USING COMPRESSION zstd
);

-- Which job a repeated request is. key_id: fingerprint of the credential, null for library users.
CREATE TABLE training_idempotency (
  key_id VARCHAR,
  idempotency_key VARCHAR NOT NULL,
  job_id VARCHAR NOT NULL,
  request_hash VARCHAR NOT NULL
);

-- What of a job's trajectories is worth a column; metrics: JSON object. Versions are integers of any size.
CREATE TABLE trajectories (
  job_id VARCHAR NOT NULL,
  group_index INTEGER NOT NULL,
  trajectory_index INTEGER NOT NULL,
  reward DOUBLE NOT NULL,
  initial_policy_version DOUBLE,
  final_policy_version DOUBLE,
  metrics VARCHAR NOT NULL,
  start_time BIGINT
);

CREATE TABLE training_models (
  id VARCHAR NOT NULL,
  entity VARCHAR NOT NULL,
  project VARCHAR NOT NULL,
  name VARCHAR NOT NULL,
  base_model VARCHAR NOT NULL
);

-- metrics: JSON object of finite numbers.
CREATE TABLE checkpoints (
  model_id VARCHAR NOT NULL,
  id VARCHAR NOT NULL,
  step BIGINT NOT NULL,
  metrics VARCHAR NOT NULL
);

-- number counts the events of a job from 1.
CREATE TABLE training_events (
  job_id VARCHAR NOT NULL,
  id VARCHAR NOT NULL,
  number BIGINT NOT NULL,
  type VARCHAR NOT NULL,
  data VARCHAR NOT NULL
);

-- Usage ---------------------------------------------------------------------------------------------------------------------------

-- One record a completion request. Token counts are null when the model server did not say; first_token_ms is null where nothing was
-- streamed.
CREATE TABLE usage (
  request_id VARCHAR NOT NULL,
  key_id VARCHAR NOT NULL,
  user_id VARCHAR NOT NULL,
  project_id VARCHAR,
  model VARCHAR NOT NULL,
  started_at BIGINT NOT NULL,
  status INTEGER NOT NULL,
  streamed BOOLEAN NOT NULL,
  outcome VARCHAR NOT NULL,
  prompt_tokens BIGINT,
  completion_tokens BIGINT,
  cached_tokens BIGINT,
  latency_ms DOUBLE NOT NULL,
  first_token_ms DOUBLE
);

-- What each key used, by project and model.
CREATE VIEW usage_totals AS
SELECT
  key_id,
  user_id,
  project_id,
  model,
  count(*) AS requests,
  count(*) FILTER (outcome = 'failed') AS failed_requests,
  coalesce(sum(prompt_tokens), 0)::BIGINT AS prompt_tokens,
  coalesce(sum(completion_tokens), 0)::BIGINT AS completion_tokens,
  avg(latency_ms) AS mean_latency_ms,
  quantile_cont(latency_ms, 0.99) AS p99_latency_ms,
  avg(first_token_ms) AS mean_first_token_ms
FROM usage
GROUP BY ALL;

-- What tracing tools send beside calls and rows ----------------------------------------------------------------------------------------

-- One record a version of an object. val: JSON, with every number as it was sent. latest_number: the larger, the later the
-- version was published, also where it was published again.
CREATE TABLE object_versions (
  project_id VARCHAR NOT NULL,
  object_id VARCHAR NOT NULL,
  digest VARCHAR NOT NULL,
  version_index INTEGER NOT NULL,
  latest_number BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  kind VARCHAR NOT NULL,
  base_object_class VARCHAR,
  leaf_object_class VARCHAR,
  user_id VARCHAR,
  val VARCHAR NOT NULL USING COMPRESSION zstd
);

-- One record a table: the digests of its rows, in order.
CREATE TABLE row_tables (
  project_id VARCHAR NOT NULL,
  digest VARCHAR NOT NULL,
  created_at BIGINT NOT NULL,
  row_digests VARCHAR[] NOT NULL
);

-- Rows of tables whose numbers were sent in another spelling than that of rows.val, such as 1.0.
CREATE TABLE row_spellings (
  project_id VARCHAR NOT NULL,
  digest VARCHAR NOT NULL,
  val VARCHAR NOT NULL USING COMPRESSION zstd
);

CREATE TABLE stored_files (
  project_id VARCHAR NOT NULL,
  digest VARCHAR NOT NULL,
  created_at BIGINT NOT NULL,
  bytes BLOB NOT NULL
);

-- What evalcube left -------------------------------------------------------------------------------------------------------------------

-- How many records tables had when the file was closed. The first write after that empties it, so it has none where a process was killed.
CREATE TABLE left_records (
  table_name VARCHAR NOT NULL,
  records BIGINT NOT NULL
);

-- For other programs -------------------------------------------------------------------------------------------------------------------

-- The views of docs/sql.md over all projects, for reading without evalcube (docs/other-programs.md): no macros, no parameters. Columns are
-- those of sql/duckdb/views, after project_id, with times in UTC without a zone.
CREATE SCHEMA evalcube;

-- attributes: those of the root call.
CREATE VIEW evalcube.evaluations AS
SELECT
  p.project_id,
  e.id AS evaluation_call_id,
  e.display_name,
  e.evaluation_ref,
  e.model_ref,
  coalesce(e.dataset_ref, replace(t.dataset, '/attr/rows/id/', '')) AS dataset_ref,
  e.trace_id,
  make_timestamp(e.started_at) AS started_at,
  make_timestamp(e.ended_at) AS ended_at,
  e.exception,
  CASE WHEN e.exception = 'Cancelled' THEN 'cancelled' WHEN e.exception IS NOT NULL THEN 'failed'
    WHEN e.ended_at IS NOT NULL THEN 'finished' ELSE 'running' END AS status,
  make_timestamp(t.last) AS last_trial_at,
  coalesce(t.n, 0) AS trial_count,
  CASE WHEN json_valid(c.record) THEN json_extract(c.record, '/attributes') END AS attributes
FROM main.evaluations AS e
JOIN main.projects AS p ON p.project_key = e.project_key
LEFT JOIN (
  SELECT evaluation_key, count(*) AS n, max(started_at) AS last, min(reference_prefix) AS dataset FROM main.trials GROUP BY evaluation_key
) AS t ON t.evaluation_key = e.evaluation_key
LEFT JOIN main.calls AS c
  ON c.id_hash = md5_number_lower(concat(e.project_key, ':', e.id)) AND c.project_key = e.project_key AND c.id = e.id AND NOT c.hidden
WHERE NOT e.hidden AND (e.has_root OR t.n > 0);

CREATE VIEW evalcube.rows AS
SELECT p.project_id, r.digest AS row_digest, coalesce(r.val, r.inline_example)::JSON AS value
FROM main.rows AS r
JOIN main.projects AS p ON p.project_key = r.project_key
WHERE r.referenced OR r.val IS NOT NULL OR r.inline_example IS NOT NULL;

CREATE VIEW evalcube.trials AS
SELECT
  p.project_id,
  t.id AS trial_id,
  e.id AS evaluation_call_id,
  r.digest AS row_digest,
  t.predict_call_id,
  make_timestamp(t.started_at) AS started_at,
  t.latency_seconds AS model_latency_seconds,
  t.total_tokens,
  nullif(
    CASE
      WHEN t.model_output_bytes IS NOT NULL THEN decode(encode(t.output)[11:10 + t.model_output_bytes])::JSON
      WHEN json_exists(t.output, '/output') THEN json_extract(t.output, '/output')
      ELSE json_extract(t.output, '/model_output')
    END, 'null'::JSON) AS model_output,
  t.output::JSON AS output
FROM main.trials AS t
JOIN main.evaluations AS e ON e.evaluation_key = t.evaluation_key
JOIN main.projects AS p ON p.project_key = e.project_key
LEFT JOIN main.rows AS r ON r.row_key = t.row_key
WHERE NOT e.hidden;

CREATE VIEW evalcube.scores AS
SELECT
  p.project_id,
  t.id AS trial_id,
  e.id AS evaluation_call_id,
  r.digest AS row_digest,
  n.names[1] AS scorer_key,
  CASE WHEN len(n.names) > 1 THEN array_to_string(n.names[2:], '.') END AS path,
  CASE s.kind WHEN 0 THEN 'continuous' WHEN 1 THEN 'binary' ELSE 'text' END AS value_type,
  CASE WHEN s.kind = 0 THEN s.number END AS numeric_value,
  CASE WHEN s.kind = 1 THEN s.number = 1 END AS boolean_value,
  CASE WHEN s.kind = 2 THEN s.text END AS text_value
FROM main.scores AS s
JOIN main.evaluations AS e ON e.evaluation_key = s.evaluation_key
JOIN main.projects AS p ON p.project_key = e.project_key
JOIN (SELECT path_key, from_json(path, '["VARCHAR"]') AS names FROM main.score_paths) AS n ON n.path_key = s.path_key
LEFT JOIN main.trials AS t ON t.trial_key = s.trial_key
LEFT JOIN main.rows AS r ON r.row_key = s.row_key
WHERE NOT e.hidden;

-- scores: values by dimension, such as {"correct": true, "judge.tone": "kind"}; a dot within a name is written \. there.
-- attributes: those of the trial's call.
CREATE VIEW evalcube.results AS
SELECT
  p.project_id,
  t.id AS trial_id,
  e.id AS evaluation_call_id,
  e.display_name,
  e.model_ref,
  r.digest AS row_digest,
  coalesce(r.val, r.inline_example)::JSON AS row_value,
  t.predict_call_id,
  make_timestamp(t.started_at) AS started_at,
  t.latency_seconds AS model_latency_seconds,
  t.total_tokens,
  nullif(
    CASE
      WHEN t.model_output_bytes IS NOT NULL THEN decode(encode(t.output)[11:10 + t.model_output_bytes])::JSON
      WHEN json_exists(t.output, '/output') THEN json_extract(t.output, '/output')
      ELSE json_extract(t.output, '/model_output')
    END, 'null'::JSON) AS model_output,
  nullif(json_extract(t.output, '/details'), 'null'::JSON) AS details,
  CASE WHEN json_valid(c.record) THEN json_extract(c.record, '/attributes') END AS attributes,
  coalesce(s.scores, '{}'::JSON) AS scores
FROM main.trials AS t
JOIN main.evaluations AS e ON e.evaluation_key = t.evaluation_key
JOIN main.projects AS p ON p.project_key = e.project_key
LEFT JOIN main.rows AS r ON r.row_key = t.row_key
LEFT JOIN main.calls AS c ON c.call_key = t.trial_key
LEFT JOIN (
  SELECT
    s.trial_key,
    ('{' || string_agg(
      to_json(n.name) || ':' || CASE s.kind WHEN 0 THEN to_json(s.number) WHEN 1 THEN to_json(s.number = 1) ELSE to_json(s.text) END,
      ',' ORDER BY n.name, s.path_key
    ) || '}')::JSON AS scores
  FROM main.scores AS s
  JOIN (
    SELECT path_key, array_to_string([replace(one, '.', '\.') FOR one IN from_json(path, '["VARCHAR"]')], '.') AS name
    FROM main.score_paths
  ) AS n ON n.path_key = s.path_key
  GROUP BY s.trial_key
) AS s ON s.trial_key = t.trial_key
WHERE NOT e.hidden;

CREATE VIEW evalcube.calls AS
SELECT
  project_id,
  id,
  op_name,
  json_extract_string(record, '/trace_id') AS trace_id,
  json_extract_string(record, '/parent_id') AS parent_id,
  json_extract_string(record, '/display_name') AS display_name,
  make_timestamp(started_at) AS started_at,
  make_timestamp(ended_at) AS ended_at,
  exception,
  json_extract(record, '/attributes') AS attributes,
  json_extract(record, '/inputs') AS inputs,
  json_extract(record, '/output') AS output,
  json_extract(record, '/summary') AS summary,
  record
FROM (
  SELECT p.project_id, c.* REPLACE (CASE WHEN json_valid(c.record) THEN c.record::JSON END AS record)
  FROM main.calls AS c
  JOIN main.projects AS p ON p.project_key = c.project_key
  WHERE NOT c.hidden AND c.started_at IS NOT NULL
);

CREATE VIEW evalcube.feedback AS
SELECT
  project_id,
  id,
  make_timestamp(created_at) AS created_at,
  svc_user_id,
  svc_ref,
  feedback_type,
  json_extract(content, '/payload') AS payload,
  json_extract_string(content, '/creator') AS creator,
  json_extract_string(content, '/annotation_ref') AS annotation_ref,
  json_extract_string(content, '/runnable_ref') AS runnable_ref,
  json_extract_string(content, '/call_ref') AS call_ref,
  json_extract_string(content, '/trigger_ref') AS trigger_ref,
  json_extract_string(content, '/queue_id') AS queue_id
FROM main.feedback;

CREATE VIEW evalcube.training_jobs AS
SELECT project_id, id, model_id, make_timestamp(created_at) AS created_at, user_id, request::JSON AS request
FROM main.training_jobs;

CREATE VIEW evalcube.trajectories AS
SELECT
  j.project_id,
  t.job_id,
  t.group_index,
  t.trajectory_index,
  t.reward,
  t.initial_policy_version,
  t.final_policy_version,
  t.metrics::JSON AS metrics,
  make_timestamp(t.start_time) AS start_time
FROM main.trajectories AS t
JOIN main.training_jobs AS j ON j.id = t.job_id;

CREATE VIEW evalcube.checkpoints AS
SELECT m.project_id, c.model_id, c.id, c.step, c.metrics::JSON AS metrics
FROM main.checkpoints AS c
JOIN (
  SELECT id, entity || '/' || project AS project_id FROM main.training_models
  UNION
  SELECT model_id, project_id FROM main.training_jobs WHERE model_id NOT IN (SELECT id FROM main.training_models)
) AS m ON m.id = c.model_id;

CREATE VIEW evalcube.objects AS
SELECT
  project_id,
  object_id,
  digest,
  version_index,
  make_timestamp(created_at) AS created_at,
  kind,
  base_object_class,
  leaf_object_class,
  user_id AS svc_user_id,
  CASE WHEN json_valid(val) THEN val::JSON END AS value
FROM main.object_versions;

CREATE VIEW evalcube.tables AS
SELECT
  project_id,
  digest,
  make_timestamp(created_at) AS created_at,
  len(row_digests) AS row_count,
  to_json(row_digests) AS row_digests
FROM main.row_tables;
