SELECT c.hash AS "hash", c.id AS "id" FROM (SELECT *, rowid, id_hash AS hash FROM calls WHERE NOT hidden AND started_at IS NOT NULL) AS c
    WHERE rowid IN (SELECT rowid FROM (SELECT *, rowid, id_hash AS hash FROM calls WHERE NOT hidden AND started_at IS NOT NULL) AS c WHERE c.project_key = 1 AND c.parent_hash IN (SELECT unnest('[1, 9223372036854775808]'::UBIGINT[])));
