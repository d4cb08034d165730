SELECT call_key, id, record FROM calls WHERE rowid IN (SELECT rowid FROM calls WHERE call_key IN (SELECT unnest('[1, 2]'::INTEGER[])) AND project_key = 1);
