SELECT row_key, digest, val, inline_example FROM rows WHERE rowid IN (SELECT rowid FROM rows WHERE row_key IN (SELECT unnest('[1, 2]'::INTEGER[])));
