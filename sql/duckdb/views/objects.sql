-- One record a version of an object: a model, scorer, dataset or op that an SDK of W&B Weave published.
-- object_id VARCHAR, digest VARCHAR, version_index INTEGER, created_at TIMESTAMP WITH TIME ZONE, kind VARCHAR (op or object),
-- base_object_class VARCHAR, leaf_object_class VARCHAR, svc_user_id VARCHAR, value JSON
SELECT
  CASE WHEN o.project_id = $project THEN o.object_id END AS object_id,
  CASE WHEN o.project_id = $project THEN o.digest END AS digest,
  CASE WHEN o.project_id = $project THEN o.version_index END AS version_index,
  CASE WHEN o.project_id = $project THEN make_timestamptz(o.created_at) END AS created_at,
  CASE WHEN o.project_id = $project THEN o.kind END AS kind,
  CASE WHEN o.project_id = $project THEN o.base_object_class END AS base_object_class,
  CASE WHEN o.project_id = $project THEN o.leaf_object_class END AS leaf_object_class,
  CASE WHEN o.project_id = $project THEN o.user_id END AS svc_user_id,
  CASE WHEN o.project_id = $project AND json_valid(o.val) THEN o.val::JSON END AS value
FROM main.object_versions AS o
WHERE o.project_id = $project
