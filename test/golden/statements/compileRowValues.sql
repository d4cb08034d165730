SELECT digest, coalesce(val, inline_example) FROM rows WHERE rowid IN (SELECT rowid FROM rows WHERE row_key IN (SELECT unnest('[1, 2]'::INTEGER[])) AND coalesce(val, inline_example) IS NOT NULL);
