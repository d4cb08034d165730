-- The tables of a database on ClickHouse, by capability. Statements end with a semicolon at the end of a line; {engine} is MergeTree, or
-- ReplicatedMergeTree where the database has replicas. Over a cluster, the tables of src/clickhouse/server/shards.ts are made on each shard.
--
-- Each record of a call, an evaluation or a row has the number of its load. A load is visible as a whole or not at all, and readers leave out
-- the loads that are not, so each of these tables has an index on `load`. Keys are hashes, which every writer computes alike.
--
-- Each record beside evaluations has `batch`, a number for what one writer inserted at once. Of several records with one identity the one that
-- was stored first counts: _block_number and _block_offset say which. Times count microseconds since 1970.

-- Loads -----------------------------------------------------------------------------------------------------------------------------------

-- What the calls of this database were read by (JSON lists of names), how many shards it has, and whether commits are taken from a
-- coordinator. Of several records the one with the lowest id counts.
CREATE TABLE IF NOT EXISTS conventions (
  id UInt64,
  predict_and_score_ops String,
  attribute_namespaces String,
  shards UInt32,
  has_coordinator Bool
) ENGINE = {engine} ORDER BY (id);

-- One record a change of state of a load. open: it is being written; again with each sign of life of its writer. visible: a commit, of
-- number `commit`, that makes all of `loads` visible at once. dead: a commit that makes sure that none of `loads` ever becomes visible.
-- purged: nothing of it is stored any more. settled: every load up to it is visible or has left nothing.
-- counts: how many records of it each table has.
CREATE TABLE IF NOT EXISTS loads (
  load UInt64,
  state Enum8('open' = 1, 'visible' = 2, 'dead' = 3, 'purged' = 4, 'settled' = 5),
  commit UInt64,
  loads Array(UInt64),
  counts Map(String, UInt64),
  writer String,
  at DateTime64(6, 'UTC') DEFAULT now64(6)
) ENGINE = {engine} ORDER BY (load, at);

-- The key of a project is the hash of its id and an empty identity.
CREATE TABLE IF NOT EXISTS projects (
  project_key UInt64 CODEC(LZ4),
  project_id String,
  load UInt64 CODEC(LZ4),
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, load)
SETTINGS non_replicated_deduplication_window = 1000;

-- Calls -----------------------------------------------------------------------------------------------------------------------------------

-- Each record of a call as it was sent. group_key: the trial that the call belongs to, itself or its parent, as far as the record says; where
-- it names no parent, as far as the call was known by then.
-- parent_key: the parent that the record names, 0 for none. part: 0 a record of a load that takes no parts, 1 start, 2 end, 3 whole, 4 name.
-- position: its place in its load. record_doc: see output_doc of trial_texts.
CREATE TABLE IF NOT EXISTS fragments (
  project_key UInt64 CODEC(LZ4),
  group_key UInt64 CODEC(LZ4),
  call_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  position UInt32,
  parent_key UInt64,
  part UInt8,
  name_rank UInt8,
  record String CODEC(ZSTD(1)),
  record_doc Nullable(String) CODEC(ZSTD(1)),
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, group_key, call_key, load, position)
SETTINGS index_granularity = 256, non_replicated_deduplication_window = 1000;

-- In which groups of `fragments` a call has records.
CREATE TABLE IF NOT EXISTS call_groups (
  project_key UInt64 CODEC(LZ4),
  call_key UInt64 CODEC(NONE),
  group_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, call_key, load)
SETTINGS non_replicated_deduplication_window = 1000;

-- What all records of a call make together, where they are several: written by the load that adds one, and anew where two writers met. The
-- record of the greatest (load, position) counts. group_key: one in which the call has records. record_doc: see output_doc of trial_texts.
CREATE TABLE IF NOT EXISTS merged_calls (
  project_key UInt64 CODEC(LZ4),
  group_key UInt64 CODEC(LZ4),
  call_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  position UInt32 CODEC(LZ4),
  record String CODEC(ZSTD(1)),
  record_doc Nullable(String) CODEC(ZSTD(1)),
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, group_key, call_key, load, position)
SETTINGS index_granularity = 256, non_replicated_deduplication_window = 1000;

-- Evaluations -----------------------------------------------------------------------------------------------------------------------------

-- One record for each parent of a trial and each root that names itself an evaluation, and another when that changes: the one of the latest
-- load counts. evaluation_key is the call_key of the root. The members of the root are null until it arrives. first_load, first_position: where
-- the first record of the evaluation or of a trial of it was. import_file: what the imported file is called. attributes: JSON text.
CREATE TABLE IF NOT EXISTS evaluations (
  project_key UInt64 CODEC(LZ4),
  evaluation_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  id String,
  has_root Bool,
  hidden Bool,
  evaluation_ref Nullable(String) CODEC(ZSTD(1)),
  model_ref Nullable(String) CODEC(ZSTD(1)),
  dataset_ref Nullable(String) CODEC(ZSTD(1)),
  display_name Nullable(String) CODEC(ZSTD(1)),
  trace_id Nullable(String),
  started_at Nullable(Int64),
  ended_at Nullable(Int64),
  exception Nullable(String) CODEC(ZSTD(1)),
  code_commit Nullable(String) CODEC(ZSTD(1)),
  code_branch Nullable(String) CODEC(ZSTD(1)),
  import_file Nullable(String) CODEC(ZSTD(1)),
  attributes Nullable(String) CODEC(ZSTD(1)),
  first_load UInt64,
  first_position UInt32,
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, evaluation_key, load)
SETTINGS non_replicated_deduplication_window = 1000;

-- Every place in the scores of a project, with what a load found there: merged by max (and min of min_exponent and low_bit) when read.
-- path: a JSON array of member names, the scorer key first; path_key is its hash. position: its place among those that its load knew, in the
-- order in which they were met. Binary exponents of the non-zero numbers: of the largest, of the smallest, of the lowest bit set.
CREATE TABLE IF NOT EXISTS score_paths (
  project_key UInt64 CODEC(LZ4),
  path_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  position UInt32,
  path String,
  leaf Bool,
  container Bool,
  list Bool,
  max_exponent Nullable(Int32),
  min_exponent Nullable(Int32),
  low_bit Nullable(Int32),
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, path_key, load)
SETTINGS non_replicated_deduplication_window = 1000;

-- One record a version of a trial, narrow: presence and order are read from it. trial_key is its call_key. first_load,
-- first_position: where the first record of its call was. content_key: of a row with a key, the row whose digest is that of what this trial
-- was asked; null where the row has no key.
CREATE TABLE IF NOT EXISTS trials (
  project_key UInt64 CODEC(LZ4),
  evaluation_key UInt64 CODEC(LZ4),
  row_key UInt64 CODEC(NONE),
  trial_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  started_at Int64 CODEC(NONE),
  first_load UInt64 CODEC(LZ4),
  first_position UInt32,
  content_key Nullable(UInt64),
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, evaluation_key, row_key, trial_key)
SETTINGS non_replicated_deduplication_window = 1000;

-- One record a version of a trial with all that it has: what `trials` has stands here again, since a join with it takes longer than to read
-- the texts. output: the whole output object of its call (compact JSON), null where it is none. output_doc: the same as
-- ClickHouse can read it: numbers that it would refuse, or spell otherwise than DuckDB, are strings behind U+E000, and a string or name that
-- begins with that has another one before it; null where that changes nothing. The other columns _doc likewise. reference_prefix: what
-- stands before the digest in a dataset-row reference; null on an inline trial. example: the inline example where it is not spelled as the
-- row's inline_example. span_refs: the spans that the predict call of the trial names, or its own call: JSON text of a list of
-- {"span_id", "trace_id"}. own_span_refs: those that its own call names.
CREATE TABLE IF NOT EXISTS trial_texts (
  project_key UInt64 CODEC(LZ4),
  evaluation_key UInt64 CODEC(LZ4),
  row_key UInt64 CODEC(NONE),
  trial_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  started_at Int64 CODEC(NONE),
  first_load UInt64 CODEC(LZ4),
  first_position UInt32,
  latency_seconds Nullable(Float64),
  total_tokens Nullable(Float64),
  own_latency_seconds Nullable(Float64),
  own_total_tokens Nullable(Float64),
  id String CODEC(ZSTD(1)),
  predict_call_id Nullable(String) CODEC(ZSTD(1)),
  scorer_call_ids Nullable(String) CODEC(ZSTD(1)),
  output Nullable(String) CODEC(ZSTD(1)),
  output_doc Nullable(String) CODEC(ZSTD(1)),
  late_scores Nullable(String) CODEC(ZSTD(1)),
  late_scores_doc Nullable(String) CODEC(ZSTD(1)),
  reference_prefix Nullable(String) CODEC(ZSTD(1)),
  example Nullable(String) CODEC(ZSTD(1)),
  example_doc Nullable(String) CODEC(ZSTD(1)),
  span_refs Nullable(String) CODEC(ZSTD(1)),
  own_span_refs Nullable(String) CODEC(ZSTD(1)),
  content_key Nullable(UInt64),
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, evaluation_key, row_key, trial_key)
SETTINGS index_granularity = 64, min_compress_block_size = 8192, non_replicated_deduplication_window = 1000;

-- One record a score leaf of a version of a trial. kind % 4: 0 number, 1 boolean, 2 text; 4 is added where `number` means nothing. number: the
-- numeric reading of any kind. text: of a text, and of an integer that a double cannot hold; else empty. late: from a score call, not the trial.
-- sums: counts and sums of the scores of each load, kept by the server with each part: a summary without conditions reads these instead of the
-- scores. A statement finds them by its text, so `number` is spelled as in the relation `scores` of statements. What is deleted leaves the sums.
CREATE TABLE IF NOT EXISTS scores (
  project_key UInt64 CODEC(LZ4),
  evaluation_key UInt64 CODEC(LZ4),
  path_key UInt64 CODEC(LZ4),
  row_key UInt64 CODEC(NONE),
  trial_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  kind UInt8,
  late Bool,
  number Float64 CODEC(NONE),
  text String CODEC(ZSTD(1)),
  INDEX loads load TYPE minmax GRANULARITY 64,
  PROJECTION sums (SELECT project_key, evaluation_key, path_key, load, kind, count(), sum(if(kind >= 4, NULL, number))
    GROUP BY project_key, evaluation_key, path_key, load, kind)
) ENGINE = {engine} ORDER BY (project_key, evaluation_key, path_key, row_key, trial_key)
SETTINGS non_replicated_deduplication_window = 1000, lightweight_mutation_projection_mode = 'rebuild';

-- One record a JSON null in the scores of a version of a trial. late: from a score call, not the trial.
CREATE TABLE IF NOT EXISTS null_scores (
  project_key UInt64 CODEC(LZ4),
  evaluation_key UInt64 CODEC(LZ4),
  path_key UInt64 CODEC(LZ4),
  row_key UInt64 CODEC(NONE),
  trial_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  late Bool,
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, evaluation_key, path_key, row_key, trial_key)
SETTINGS non_replicated_deduplication_window = 1000;

-- One record a version of a trial that went wrong. own: its own call ended in an exception or has no output; else its predict call ended in one.
CREATE TABLE IF NOT EXISTS errored_trials (
  project_key UInt64 CODEC(LZ4),
  evaluation_key UInt64 CODEC(LZ4),
  row_key UInt64 CODEC(NONE),
  trial_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  own Bool,
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, evaluation_key, row_key, trial_key)
SETTINGS non_replicated_deduplication_window = 1000;

-- The version of a trial that the load `born` made ends with the load `load`.
CREATE TABLE IF NOT EXISTS gone (
  project_key UInt64 CODEC(LZ4),
  evaluation_key UInt64 CODEC(LZ4),
  trial_key UInt64 CODEC(NONE),
  born UInt64,
  load UInt64 CODEC(LZ4),
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, evaluation_key, trial_key, born)
SETTINGS non_replicated_deduplication_window = 1000;

-- Dataset rows ----------------------------------------------------------------------------------------------------------------------------

-- What a load says of a dataset row. Of several records of a row: `value` (JSON) is that of the latest that has one, inline_example (the row as
-- an inline trial spelled it) that of the first that has one, by (load, position); the two marks hold where any has them. value_doc and
-- inline_doc: see output_doc of trial_texts. referenced: some trial refers to the row. respelled: some inline trial spells it, or of a
-- row with a key holds, otherwise. A row that is only what content_key names has a digest and nothing else.
CREATE TABLE IF NOT EXISTS rows (
  project_key UInt64 CODEC(LZ4),
  row_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  position UInt32,
  digest String CODEC(ZSTD(1)),
  value Nullable(String) CODEC(ZSTD(1)),
  value_doc Nullable(String) CODEC(ZSTD(1)),
  inline_example Nullable(String) CODEC(ZSTD(1)),
  inline_doc Nullable(String) CODEC(ZSTD(1)),
  referenced Bool,
  respelled Bool,
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, row_key, load, position)
SETTINGS index_granularity = 256, non_replicated_deduplication_window = 1000;

-- The rows in the order of their digests.
CREATE TABLE IF NOT EXISTS row_digests (
  project_key UInt64 CODEC(LZ4),
  digest String,
  row_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, digest)
SETTINGS non_replicated_deduplication_window = 1000;

-- Feedback --------------------------------------------------------------------------------------------------------------------------------

-- Feedback as it was sent. An id is that of one record of its project. content: JSON of every member that was sent, payload included, without
-- nulls and without the id. content_doc: see output_doc of trial_texts.
CREATE TABLE IF NOT EXISTS feedback (
  project_id String CODEC(LZ4),
  id String CODEC(ZSTD(1)),
  created_at Int64,
  svc_user_id String CODEC(ZSTD(1)),
  svc_ref String CODEC(ZSTD(1)),
  feedback_type String CODEC(LZ4),
  content String CODEC(ZSTD(1)),
  content_doc Nullable(String) CODEC(ZSTD(1)),
  batch UInt64 CODEC(NONE)
) ENGINE = {engine} ORDER BY (project_id, id)
SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 1000;

-- Training --------------------------------------------------------------------------------------------------------------------------------

-- Ids of jobs, models, checkpoints and events are uuids in lower case.
--
-- One record a job; request: the text as it was sent. keyed: the job has an idempotency key, and counts where the first record of that key in
-- training_idempotency, which is stored after it, names it.
CREATE TABLE IF NOT EXISTS training_jobs (
  id String,
  model_id String,
  created_at Int64,
  project_id Nullable(String),
  user_id Nullable(String),
  request String CODEC(ZSTD(1)),
  keyed Bool,
  batch UInt64 CODEC(NONE)
) ENGINE = {engine} ORDER BY (id)
SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 1000;

-- Which job a repeated request is: the first of those with one key. key_id: fingerprint of the credential, null for library users.
CREATE TABLE IF NOT EXISTS training_idempotency (
  key_id Nullable(String),
  idempotency_key String,
  job_id String,
  request_hash String,
  batch UInt64 CODEC(NONE)
) ENGINE = {engine} ORDER BY (idempotency_key)
SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 1000;

-- What of a job's trajectories is worth a column; metrics: JSON object. Versions are integers of any size.
CREATE TABLE IF NOT EXISTS trajectories (
  job_id String,
  group_index UInt32,
  trajectory_index UInt32,
  reward Float64,
  initial_policy_version Nullable(Float64),
  final_policy_version Nullable(Float64),
  metrics String CODEC(ZSTD(1)),
  start_time Nullable(Int64),
  batch UInt64 CODEC(NONE)
) ENGINE = {engine} ORDER BY (job_id, group_index, trajectory_index)
SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 1000;

-- A name is that of one model of its project: of the one that was stored first.
CREATE TABLE IF NOT EXISTS training_models (
  id String,
  entity String,
  project String,
  name String,
  base_model String,
  batch UInt64 CODEC(NONE)
) ENGINE = {engine} ORDER BY (entity, project, name)
SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 1000;

-- metrics: JSON object of finite numbers.
CREATE TABLE IF NOT EXISTS checkpoints (
  model_id String,
  id String,
  step Int64,
  metrics String CODEC(ZSTD(1)),
  batch UInt64 CODEC(NONE)
) ENGINE = {engine} ORDER BY (model_id, step, id)
SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 1000;

-- The events of a job in the order in which they were stored.
CREATE TABLE IF NOT EXISTS training_events (
  job_id String,
  id String,
  type String,
  data String CODEC(ZSTD(1)),
  batch UInt64 CODEC(NONE)
) ENGINE = {engine} ORDER BY (job_id)
SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 1000;

-- Usage -----------------------------------------------------------------------------------------------------------------------------------

-- One record a completion request. Token counts are null when the model server did not say;
-- first_token_ms is null where nothing was streamed.
CREATE TABLE IF NOT EXISTS usage (
  request_id String,
  key_id String,
  user_id String,
  project_id Nullable(String),
  model String,
  started_at Int64,
  status UInt32,
  streamed Bool,
  outcome String,
  prompt_tokens Nullable(Int64),
  completion_tokens Nullable(Int64),
  cached_tokens Nullable(Int64),
  latency_ms Float64,
  first_token_ms Nullable(Float64),
  batch UInt64 CODEC(NONE)
) ENGINE = {engine} ORDER BY (started_at)
SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 1000;

-- What tracing tools send beside calls and rows -------------------------------------------------------------------------------------------

-- One record each time that a version of an object was published while another was the latest. The first of a version says what it is, the
-- others have a project, an object and a digest alone. The order of the first ones numbers the versions, that of all says which is the latest.
-- val: JSON, with every number as it was sent.
CREATE TABLE IF NOT EXISTS object_versions (
  project_id String CODEC(LZ4),
  object_id String,
  digest String,
  created_at Int64,
  kind String,
  base_object_class Nullable(String),
  leaf_object_class Nullable(String),
  user_id Nullable(String),
  val String CODEC(ZSTD(1)),
  batch UInt64 CODEC(NONE)
) ENGINE = {engine} ORDER BY (project_id, object_id, digest)
SETTINGS index_granularity = 256, enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 1000;

-- One record a table, or several equal ones: the digests of its rows, in order, as a JSON list.
CREATE TABLE IF NOT EXISTS row_tables (
  project_id String CODEC(LZ4),
  digest String,
  created_at Int64,
  row_digests String CODEC(ZSTD(1)),
  batch UInt64 CODEC(NONE)
) ENGINE = {engine} ORDER BY (project_id, digest)
SETTINGS index_granularity = 256, enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 1000;

-- Rows of tables whose numbers were sent in another spelling than that of rows.value, such as 1.0. There may be several equal records.
CREATE TABLE IF NOT EXISTS row_spellings (
  project_id String CODEC(LZ4),
  digest String,
  val String CODEC(ZSTD(1)),
  batch UInt64 CODEC(NONE)
) ENGINE = {engine} ORDER BY (project_id, digest)
SETTINGS index_granularity = 256, enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 1000;

-- Files by digest; there may be several equal records.
CREATE TABLE IF NOT EXISTS stored_files (
  project_id String CODEC(LZ4),
  digest String,
  created_at Int64,
  bytes String CODEC(ZSTD(1)),
  batch UInt64 CODEC(NONE)
) ENGINE = {engine} ORDER BY (project_id, digest)
SETTINGS index_granularity = 256, enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 1000;
