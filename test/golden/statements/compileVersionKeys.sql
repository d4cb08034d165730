SELECT version_key
    FROM trials WHERE row_key IN (SELECT unnest('[1, 2]'::INTEGER[])) AND evaluation_key IN (1, 2);
