SELECT row_key, digest FROM rows SEMI JOIN (SELECT row_key FROM trials WHERE evaluation_key IN (1, 2) GROUP BY row_key) AS tried USING (row_key)
      WHERE project_key = 1;
