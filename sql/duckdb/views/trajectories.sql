-- One record a trajectory of a training job.
-- job_id VARCHAR, group_index INTEGER, trajectory_index INTEGER, reward DOUBLE, initial_policy_version DOUBLE,
-- final_policy_version DOUBLE, metrics JSON, start_time TIMESTAMP WITH TIME ZONE
SELECT
  CASE WHEN j.project_id = $project THEN t.job_id END AS job_id,
  CASE WHEN j.project_id = $project THEN t.group_index END AS group_index,
  CASE WHEN j.project_id = $project THEN t.trajectory_index END AS trajectory_index,
  CASE WHEN j.project_id = $project THEN t.reward END AS reward,
  CASE WHEN j.project_id = $project THEN t.initial_policy_version END AS initial_policy_version,
  CASE WHEN j.project_id = $project THEN t.final_policy_version END AS final_policy_version,
  CASE WHEN j.project_id = $project THEN t.metrics::JSON END AS metrics,
  CASE WHEN j.project_id = $project THEN make_timestamptz(t.start_time) END AS start_time
FROM main.trajectories AS t
JOIN main.training_jobs AS j ON j.id = t.job_id
WHERE j.project_id = $project
