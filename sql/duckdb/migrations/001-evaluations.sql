-- Keys are dense integers handed out by the writer. Integers keep grouping, joining and filtering narrow;
-- texts are read for the rows of a page only.

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
CREATE TABLE calls (
  call_key INTEGER NOT NULL,
  project_key INTEGER NOT NULL,
  id_hash UBIGINT NOT NULL,
  parent_hash UBIGINT,
  hidden BOOLEAN NOT NULL,
  id VARCHAR NOT NULL USING COMPRESSION uncompressed,
  record VARCHAR NOT NULL USING COMPRESSION zstd
);
CREATE INDEX calls_by_key ON calls (call_key);

-- One record a parent of a predict-and-score call, and a root that names itself an evaluation.
-- The five members of the root are null until it arrives. started_at counts microseconds since 1970.
CREATE TABLE evaluations (
  evaluation_key INTEGER NOT NULL,
  project_key INTEGER NOT NULL,
  id VARCHAR NOT NULL,
  has_root BOOLEAN NOT NULL,
  hidden BOOLEAN NOT NULL,
  evaluation_ref VARCHAR,
  model_ref VARCHAR,
  display_name VARCHAR,
  trace_id VARCHAR,
  started_at BIGINT
);

-- val: the stored dataset row (JSON). inline_example: the row as the first inline trial spelled it (JSON).
-- referenced: some trial refers to the row. respelled: some inline trial spells it otherwise.
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
CREATE INDEX rows_by_key ON rows (row_key);

-- One record a predict-and-score call; trial_key is its call_key.
-- output: the call's whole output object (compact JSON), null where it is none.
-- reference_prefix: what stands before the digest in a dataset-row reference; null on an inline trial.
-- example: the inline example where it is not spelled as rows.inline_example.
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
  example VARCHAR
);
CREATE INDEX trials_by_key ON trials (trial_key);

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
