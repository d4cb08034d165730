SELECT c.hash AS "hash", c.parent_hash AS "parent" FROM (SELECT *, rowid, id_hash AS hash FROM calls WHERE NOT hidden AND started_at IS NOT NULL) AS c
    WHERE c.project_key = 1 AND c.parent_hash IS NOT NULL AND c.parent_hash NOT IN (SELECT md5_number_lower(concat(1, ':', t.id)) FROM trials AS t WHERE t.evaluation_key IN (1, 2)) LIMIT 100;
