-- Optional, for an administrator: the user ana sees the project acme/qa alone, of what is stored in the database evalcube. A user of the role of readers
-- without such policies sees all projects. What belongs to no project, such as the list of loads, is seen by all.
CREATE ROW POLICY IF NOT EXISTS ana_acme_qa ON evalcube.projects, evalcube.fragments, evalcube.call_groups, evalcube.call_steps, evalcube.merged_calls,
  evalcube.evaluations, evalcube.score_paths, evalcube.trials, evalcube.trial_texts, evalcube.scores, evalcube.null_scores, evalcube.errored_trials, evalcube.rows,
  evalcube.row_digests, evalcube.gone
  USING project_key = reinterpretAsUInt64(SHA256(concat('acme/qa', '\0'))) TO ana;
CREATE ROW POLICY IF NOT EXISTS ana_acme_qa_records ON evalcube.feedback, evalcube.object_versions, evalcube.row_tables,
  evalcube.row_spellings, evalcube.stored_files, evalcube.model_prices, evalcube.usage, evalcube.training_jobs
  USING project_id = 'acme/qa' TO ana;
-- What training has besides names no project.
CREATE ROW POLICY IF NOT EXISTS ana_no_training ON evalcube.training_models, evalcube.training_idempotency, evalcube.trajectories,
  evalcube.checkpoints, evalcube.training_events
  USING 0 TO ana;
