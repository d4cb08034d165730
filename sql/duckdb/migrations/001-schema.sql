-- The tables of a database file, by capability: evaluations, feedback, training, usage, and what tracing tools send besides.
--
-- Keys are dense integers that the writer hands out: integers keep grouping, joining and filtering narrow, and texts are read for the
-- rows of a page only. Times count microseconds since 1970. A column that holds JSON holds its text.
--
-- No table here has an index: replaying a log on a table with one loses deletes and updates (docs/duckdb-reports.md). Keys are stored in
-- order, and DuckDB skips by their minima and maxima. The one index, on trials.version_key, is made when the file is opened
-- (src/duckdb/file/trial-index.ts). DuckDB alters no table with an index, so a migration that alters trials drops it first.
--
-- The views for other programs are those of src/duckdb/views, made anew when the last migration has run.

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
