SELECT path_key FROM scores
    WHERE path_key IN (1, 2) AND evaluation_key IN (1, 2)
      
    GROUP BY path_key HAVING count(CASE WHEN kind = 2 OR number IS NULL OR number NOT IN (0, 1) THEN 1 END) = 0;
