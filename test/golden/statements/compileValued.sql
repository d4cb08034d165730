SELECT evaluation_key FROM scores WHERE evaluation_key IN (1, 2) AND kind < 2
    AND number IS NOT NULL GROUP BY evaluation_key;
