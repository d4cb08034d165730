import type { View } from "./view.ts";

export const trainingJobs: View = {
  record: "a training job",
  owner: "j.project_id",
  from: () => "main.training_jobs AS j",
  columns: {
    id: ["VARCHAR", "j.id", "its id"],
    model_id: ["VARCHAR", "j.model_id", "its model"],
    created_at: ["TIMESTAMP WITH TIME ZONE", "j.created_at", "when it was created"],
    user_id: ["VARCHAR", "j.user_id", "who sent it"],
    request: ["JSON", "j.request::JSON", "as it was sent"],
  },
};

export const trajectories: View = {
  record: "a trajectory of a training job",
  owner: "j.project_id",
  from: () => "main.trajectories AS t JOIN main.training_jobs AS j ON j.id = t.job_id",
  columns: {
    job_id: ["VARCHAR", "t.job_id", "its job"],
    group_index: ["INTEGER", "t.group_index", "place of its group in the job, from 0"],
    trajectory_index: ["INTEGER", "t.trajectory_index", "its place in the group, from 0"],
    reward: ["DOUBLE", "t.reward", "its reward"],
    initial_policy_version: ["DOUBLE", "t.initial_policy_version", "version of the policy at its start"],
    final_policy_version: ["DOUBLE", "t.final_policy_version", "version of the policy at its end"],
    metrics: ["JSON", "t.metrics::JSON", "an object of metrics"],
    start_time: ["TIMESTAMP WITH TIME ZONE", "t.start_time", "start"],
  },
};

export const checkpoints: View = {
  record: "a checkpoint of a model that is registered in the project, or is not and belongs to a job of it",
  owner: "m.project_id",
  from: () => `main.checkpoints AS c
    JOIN (
      SELECT id, entity || '/' || project AS project_id FROM main.training_models
      UNION
      SELECT model_id, project_id FROM main.training_jobs
      WHERE model_id NOT IN (SELECT id FROM main.training_models)
    ) AS m ON m.id = c.model_id`,
  columns: {
    model_id: ["VARCHAR", "c.model_id", "its model"],
    id: ["VARCHAR", "c.id", "its id"],
    step: ["BIGINT", "c.step", "its training step"],
    metrics: ["JSON", "c.metrics::JSON", "an object of finite numbers"],
  },
};
