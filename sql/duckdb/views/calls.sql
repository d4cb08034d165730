-- One record a call that is not hidden and has its start, with the members of its record.
-- id VARCHAR, op_name VARCHAR, trace_id VARCHAR, parent_id VARCHAR, display_name VARCHAR,
-- started_at TIMESTAMP WITH TIME ZONE, ended_at TIMESTAMP WITH TIME ZONE, exception VARCHAR, attributes JSON,
-- inputs JSON, output JSON, summary JSON, record JSON (all of it, unknown members too)
SELECT
  id,
  op_name,
  json_extract_string(record, '/trace_id') AS trace_id,
  json_extract_string(record, '/parent_id') AS parent_id,
  json_extract_string(record, '/display_name') AS display_name,
  make_timestamptz(started_at) AS started_at,
  make_timestamptz(ended_at) AS ended_at,
  exception,
  json_extract(record, '/attributes') AS attributes,
  json_extract(record, '/inputs') AS inputs,
  json_extract(record, '/output') AS output,
  json_extract(record, '/summary') AS summary,
  record
FROM (
  SELECT
    CASE WHEN c.project_key = $project_key AND NOT c.hidden THEN c.id END AS id,
    CASE WHEN c.project_key = $project_key AND NOT c.hidden THEN c.op_name END AS op_name,
    CASE WHEN c.project_key = $project_key AND NOT c.hidden THEN c.started_at END AS started_at,
    CASE WHEN c.project_key = $project_key AND NOT c.hidden THEN c.ended_at END AS ended_at,
    CASE WHEN c.project_key = $project_key AND NOT c.hidden THEN c.exception END AS exception,
    CASE WHEN c.project_key = $project_key AND NOT c.hidden AND json_valid(c.record) THEN c.record::JSON END AS record
  FROM main.calls AS c
  WHERE c.project_key = $project_key AND NOT c.hidden AND c.started_at IS NOT NULL
)
