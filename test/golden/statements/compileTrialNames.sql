SELECT t.trial_key, r.digest, t.id FROM trials AS t JOIN rows AS r ON r.row_key = t.row_key
      WHERE t.evaluation_key IN (1, 2) ORDER BY r.digest, t.id;
