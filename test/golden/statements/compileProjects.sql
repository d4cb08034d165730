SELECT project_id FROM projects ORDER BY project_id;
