-- One record a piece of feedback.
-- id VARCHAR, created_at TIMESTAMP WITH TIME ZONE, svc_user_id VARCHAR, svc_ref VARCHAR, feedback_type VARCHAR,
-- payload JSON, creator VARCHAR, annotation_ref VARCHAR, runnable_ref VARCHAR, call_ref VARCHAR, trigger_ref VARCHAR,
-- queue_id VARCHAR
SELECT
  CASE WHEN f.project_id = $project THEN f.id END AS id,
  CASE WHEN f.project_id = $project THEN make_timestamptz(f.created_at) END AS created_at,
  CASE WHEN f.project_id = $project THEN f.svc_user_id END AS svc_user_id,
  CASE WHEN f.project_id = $project THEN f.svc_ref END AS svc_ref,
  CASE WHEN f.project_id = $project THEN f.feedback_type END AS feedback_type,
  CASE WHEN f.project_id = $project THEN json_extract(f.content, '/payload') END AS payload,
  CASE WHEN f.project_id = $project THEN json_extract_string(f.content, '/creator') END AS creator,
  CASE WHEN f.project_id = $project THEN json_extract_string(f.content, '/annotation_ref') END AS annotation_ref,
  CASE WHEN f.project_id = $project THEN json_extract_string(f.content, '/runnable_ref') END AS runnable_ref,
  CASE WHEN f.project_id = $project THEN json_extract_string(f.content, '/call_ref') END AS call_ref,
  CASE WHEN f.project_id = $project THEN json_extract_string(f.content, '/trigger_ref') END AS trigger_ref,
  CASE WHEN f.project_id = $project THEN json_extract_string(f.content, '/queue_id') END AS queue_id
FROM main.feedback AS f
WHERE f.project_id = $project
