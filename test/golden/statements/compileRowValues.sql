SELECT digest, val FROM rows WHERE rowid IN (SELECT rowid FROM rows WHERE row_key IN (SELECT unnest('[1, 2]'::INTEGER[])) AND val IS NOT NULL);
