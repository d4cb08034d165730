SELECT v.row_key, CAST(v.number AS DOUBLE) FROM scores AS v WHERE v.number IS NOT NULL;
