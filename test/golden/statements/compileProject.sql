SELECT project_key FROM projects WHERE project_id = $1;
-- $1 VARCHAR "acme/qa"
