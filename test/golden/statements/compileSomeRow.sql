SELECT row_key FROM rows WHERE project_key = 1 LIMIT 1;
