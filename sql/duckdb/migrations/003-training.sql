-- Times count microseconds since 1970. Ids of jobs, models, checkpoints and events are uuids in lower case.

-- One record a job; request: the text as it was sent.
CREATE TABLE training_jobs (
  id VARCHAR NOT NULL,
  model_id VARCHAR NOT NULL,
  created_at BIGINT NOT NULL,
  project_id VARCHAR,
  user_id VARCHAR,
  request VARCHAR NOT NULL USING COMPRESSION zstd
);
CREATE INDEX training_jobs_by_id ON training_jobs (id);

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
CREATE INDEX checkpoints_by_model ON checkpoints (model_id);

-- number counts the events of a job from 1.
CREATE TABLE training_events (
  job_id VARCHAR NOT NULL,
  id VARCHAR NOT NULL,
  number BIGINT NOT NULL,
  type VARCHAR NOT NULL,
  data VARCHAR NOT NULL
);
