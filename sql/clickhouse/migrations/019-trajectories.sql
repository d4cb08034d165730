-- What of a job's trajectories is worth a column; metrics: JSON object. Versions are integers of any size.
CREATE TABLE IF NOT EXISTS trajectories {cluster} (
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
SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 1000
